import { createHash } from 'node:crypto';
import { isMutation } from './pace-requests.ts';
import { isRead, type GitHubResponse, type RequestLayer, type RequestOptions } from './request-hook.ts';

export interface RecordedWrite {
  method: string;
  url: string;
  body: unknown;
}

const DRY_RUN_HEADER = 'x-dsh-dry-run';

/** True for an answer that stands in for a write which was not sent. */
export function isDryRunAnswer(response: { headers: object }): boolean {
  return DRY_RUN_HEADER in response.headers;
}

/** Reads go out, writes are recorded instead and answered as GitHub plausibly would. */
export function dryRun(
  record: (write: RecordedWrite) => void,
  parse: (options: RequestOptions) => { method: string; url: string; body?: unknown },
): RequestLayer {
  return async (send, options) => {
    const { method, url, body } = parse(options);
    if (isRead(options) || (url.endsWith('/graphql') && !isMutation(options))) return await send(options);
    const write = { method, url, body };
    record(write);
    return answer(write);
  };
}

/** The sent fields, and the ones callers read of any created object. */
function answer(write: RecordedWrite): GitHubResponse {
  const digest = createHash('sha1').update(JSON.stringify(write)).digest('hex');
  const sent = typeof write.body === 'object' && write.body !== null ? write.body : {};
  const { sha = digest } = sent as { sha?: string };
  const made = {
    id: Number.parseInt(digest.slice(0, 8), 16),
    node_id: digest,
    number: 0,
    html_url: write.url,
    object: { sha, type: 'commit' },
  };
  return {
    status: write.method === 'POST' ? 201 : 200,
    url: write.url,
    headers: { [DRY_RUN_HEADER]: '1' },
    data: write.url.endsWith('/graphql') ? { data: {} } : { ...made, ...sent, sha },
  } as GitHubResponse;
}
