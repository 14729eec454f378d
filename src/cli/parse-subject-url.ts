import { DshError } from '../errors.ts';
import type { SubjectRef } from '../triggers/reading.ts';

export interface SubjectAddress {
  readonly owner: string;
  readonly repo: string;
  readonly subject: SubjectRef;
}

/** Reads the address of an issue or pull request on the configured server. Throws `USAGE` that says what one looks like. */
export function parseSubjectUrl(url: string, serverUrl: string): SubjectAddress {
  const parsed = URL.parse(url);
  const [owner, repo, kind, number] = parsed?.pathname.split('/').filter(Boolean) ?? [];
  const known = kind === 'issues' || kind === 'pull';
  if (
    !parsed ||
    !/^https?:$/.test(parsed.protocol) ||
    !owner ||
    !repo ||
    !known ||
    !/^[1-9]\d{0,14}$/.test(number ?? '')
  ) {
    throw new DshError(
      `${url} is not the address of an issue or pull request.`,
      'USAGE',
      `It looks like ${serverUrl}/owner/repository/issues/1`,
    );
  }
  if (parsed.host !== new URL(serverUrl).host) {
    const hint = 'Set GITHUB_SERVER_URL and GITHUB_API_URL to that server, or give an address on this one.';
    throw new DshError(`${url} is not on ${serverUrl}.`, 'USAGE', hint);
  }
  return { owner, repo, subject: { kind: kind === 'pull' ? 'pull' : 'issue', number: Number(number) } };
}
