import { createHash } from 'node:crypto';
import type { GenerateOptions, Message } from '../llm/types.ts';
import { canonicalJson } from './json.ts';
import { isSnapshot } from './snapshot-json.ts';

/** Messages of a session are shared and frozen: each is written once, however many requests hold it. */
const written = new WeakMap<Message, string>();

/**
 * SHA-256 (hex) over the canonical JSON of a request. The abort signal and the session id are left out: they route the
 * call and the model sees neither, so a fork rebuilds to the same digest as its parent.
 */
export function requestDigest({ signal: _signal, sessionId: _id, messages, ...rest }: GenerateOptions): string {
  const [before, after] = canonicalJson({ ...rest, messages: [] }).split('"messages":[]');
  const hash = createHash('sha256').update(`${before}"messages":[`);
  messages.forEach((message, index) => hash.update(index === 0 ? canonicalMessage(message) : `,${canonicalMessage(message)}`));
  return hash.update(`]${after}`).digest('hex');
}

function canonicalMessage(message: Message): string {
  const known = written.get(message);
  if (known !== undefined) return known;
  const text = canonicalJson(message);
  if (isSnapshot(message)) written.set(message, text);
  return text;
}
