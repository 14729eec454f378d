import type { TranscriptAddress } from '../bot/job/services.ts';
import type { SessionId } from '../harness/session/types.ts';
import type { TranscriptLinks } from './transcript-link.ts';

export interface AddressParts {
  readonly links: TranscriptLinks;
  /** Where people reach this server; undefined where it does not know. */
  readonly publicUrl: string | undefined;
  /** Whether people can sign in. */
  readonly hasLogin: boolean;
}

/**
 * Where a comment of a repository may send its readers for a transcript (H1). What is written in a public one, the whole
 * world reads: there it is the page that asks who they are, and never a link that opens by itself.
 */
export function transcriptAddress(
  session: SessionId,
  isPublic: boolean,
  { links, publicUrl, hasLogin }: AddressParts,
): TranscriptAddress {
  if (publicUrl === undefined) return { kind: 'none', why: 'no-address' };
  if (hasLogin) return { kind: 'page', url: urlOf(links.pagePath(session), publicUrl) };
  if (isPublic) return { kind: 'none', why: 'public' };
  return { kind: 'signed', url: urlOf(links.pathOf(session), publicUrl), until: links.inAnHour() };
}

function urlOf(path: string, publicUrl: string): string {
  return `${publicUrl.replace(/\/+$/, '')}${path}`;
}
