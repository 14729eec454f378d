import { createHash } from 'node:crypto';
import type { Hash } from 'node:crypto';
import type { GenerateOptions, Message } from '../llm/types.ts';
import { canonicalJson } from './json.ts';

/**
 * SHA-256 (hex) over the canonical JSON of a request, with `messages` as the last key. The abort signal and the session
 * id are left out: they route the call and the model sees neither, so a fork rebuilds to the digest of its parent.
 */
export function requestDigest(request: GenerateOptions): string {
  return new RequestDigester().digest(request);
}

/**
 * Digests the requests of one growing conversation: what stands before the first new message is hashed once.
 * Messages are known by identity, so only frozen ones may be given.
 */
export class RequestDigester {
  #head = '';
  #messages: readonly Message[] = [];
  #hash: Hash = createHash('sha256');

  digest({ signal: _signal, sessionId: _sessionId, messages, ...rest }: GenerateOptions): string {
    const head = canonicalJson(rest);
    if (head !== this.#head || !isPrefix(this.#messages, messages)) this.#startOver(head);
    for (let index = this.#messages.length; index < messages.length; index++) {
      this.#hash.update((index === 0 ? '' : ',') + canonicalJson(messages[index]));
    }
    this.#messages = messages.slice();
    return this.#hash.copy().update(']}').digest('hex');
  }

  #startOver(head: string): void {
    this.#head = head;
    this.#messages = [];
    this.#hash = createHash('sha256').update(`${head.slice(0, -1)},"messages":[`);
  }
}

function isPrefix(older: readonly Message[], newer: readonly Message[]): boolean {
  return older.length <= newer.length && older.every((message, index) => message === newer[index]);
}
