import { createHash } from 'node:crypto';
import type { Hash } from 'node:crypto';
import type { GenerateOptions, Message } from '../llm/types.ts';
import { canonicalJson } from '../session/json.ts';

type DigestedRequest = Omit<GenerateOptions, 'signal' | 'sessionId'>;

/** The sha256, in hex, of a request's canonical JSON: sorted keys, but `messages` last. Routing facts do not count. */
export function requestDigest(request: DigestedRequest): string {
  return new RequestDigester().digest(request);
}

/**
 * Digests one growing conversation: what stands before the first new message is hashed once.
 * Messages are known by identity, so only frozen ones may be given.
 */
export class RequestDigester {
  #head = '';
  #digested: readonly Message[] = [];
  #hash: Hash = createHash('sha256');

  digest(request: DigestedRequest): string {
    const { messages, signal: _signal, sessionId: _sessionId, ...rest } = request as GenerateOptions;
    const head = canonicalJson(rest);
    if (head !== this.#head || !isPrefixOf(this.#digested, messages)) this.#startOver(head);
    for (const message of messages.slice(this.#digested.length)) this.#hash.update(`,${canonicalJson(message)}`);
    this.#digested = messages;
    return this.#hash.copy().update(']}').digest('hex');
  }

  #startOver(head: string): void {
    this.#head = head;
    this.#digested = [];
    this.#hash = createHash('sha256').update(`${head.slice(0, -1)},"messages":[`);
  }
}

function isPrefixOf(older: readonly Message[], newer: readonly Message[]): boolean {
  return older.length <= newer.length && older.every((message, index) => message === newer[index]);
}
