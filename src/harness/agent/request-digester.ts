import { createHash } from 'node:crypto';
import type { Hash } from 'node:crypto';
import type { Message } from '../llm/types.ts';
import type { ComposedRequest } from '../session/compose-request.ts';
import { canonicalJson } from '../session/json.ts';

const NO_MESSAGES = '"messages":[]';

/**
 * `requestDigest` of the growing requests of one conversation: what an earlier request held is not hashed again.
 * Parts are known by identity, so only frozen ones may be given.
 */
export class RequestDigester {
  #fixed: Omit<ComposedRequest, 'messages'> | undefined;
  #after = '';
  #hashed: readonly Message[] = [];
  #hash: Hash = createHash('sha256');

  digest({ messages, ...fixed }: ComposedRequest): string {
    if (!this.#fixed || !sameParts(this.#fixed, fixed) || !isPrefixOf(this.#hashed, messages)) this.#startOver(fixed);
    for (let index = this.#hashed.length; index < messages.length; index++) {
      this.#hash.update(`${index === 0 ? '' : ','}${canonicalJson(messages[index])}`);
    }
    this.#hashed = messages;
    return this.#hash.copy().update(`]${this.#after}`).digest('hex');
  }

  #startOver(fixed: Omit<ComposedRequest, 'messages'>): void {
    const text = canonicalJson({ ...fixed, messages: [] });
    const at = text.indexOf(NO_MESSAGES);
    this.#fixed = fixed;
    this.#after = text.slice(at + NO_MESSAGES.length);
    this.#hashed = [];
    this.#hash = createHash('sha256').update(`${text.slice(0, at)}"messages":[`);
  }
}

function sameParts(a: object, b: object): boolean {
  const left = Object.entries(a);
  return (
    left.length === Object.keys(b).length && left.every(([key, value]) => (b as Record<string, unknown>)[key] === value)
  );
}

function isPrefixOf(older: readonly Message[], newer: readonly Message[]): boolean {
  return older.length <= newer.length && older.every((message, index) => message === newer[index]);
}
