import { SessionId } from '../../harness/session/types.ts';
import { SessionReferenceError } from './session-reference-error.ts';
import type { SessionReferenceInput } from './types.ts';

const SCHEME = 'dsh-session:';

/** `dsh-session:` and the base64url of the id as a JSON string. Pure. */
export function sessionUri(id: SessionId): string {
  return SCHEME + Buffer.from(JSON.stringify(id)).toString('base64url');
}

/** Undefined for everything but the one spelling that `sessionUri` gives. Pure. */
export function parseSessionUri(uri: string): SessionId | undefined {
  if (!uri.startsWith(SCHEME)) return undefined;
  try {
    const id: unknown = JSON.parse(Buffer.from(uri.slice(SCHEME.length), 'base64url').toString('utf8'));
    if (typeof id !== 'string' || id === '') return undefined;
    return sessionUri(SessionId(id)) === uri ? SessionId(id) : undefined;
  } catch {
    return undefined;
  }
}

/** `@[label](uri)`, with `\` and `]` of the label escaped. Pure. */
export function sessionMention({ sessionId, label = sessionId }: SessionReferenceInput): string {
  return `@[${label.replaceAll(/[\\\]]/g, '\\$&')}](${sessionUri(sessionId)})`;
}

const MENTION = /@\[((?:\\[\\\]]|[^\\\]])*)\]\((dsh-session:[^)\s]*)\)/g;
const LOOSE = /(?<![\w(])dsh-session:[\w-]+/g;

/**
 * The sessions a text names, in order: by mentions, and by bare URIs. Bare text that is no URI is only text.
 * @throws SessionReferenceError `SESSION_REFERENCE_INVALID_REFERENCE` for a mention that names no session
 */
export function findSessionMentions(text: string): SessionReferenceInput[] {
  const found: { at: number; reference: SessionReferenceInput }[] = [];
  for (const match of text.matchAll(MENTION)) {
    const [whole, label = '', uri = ''] = match;
    const sessionId = parseSessionUri(uri);
    if (!sessionId) {
      throw new SessionReferenceError(`${whole} names no session`, 'SESSION_REFERENCE_INVALID_REFERENCE');
    }
    found.push({ at: match.index, reference: { sessionId, label: label.replaceAll(/\\([\\\]])/g, '$1') } });
  }
  for (const match of text.matchAll(LOOSE)) {
    const sessionId = parseSessionUri(match[0]);
    if (sessionId) found.push({ at: match.index, reference: { sessionId } });
  }
  return found.sort((a, b) => a.at - b.at).map(({ reference }) => reference);
}
