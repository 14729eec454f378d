import type { ContentBlock } from '../../harness/llm/types.ts';
import { HarnessError } from '../../harness/llm/errors.ts';
import type { Session } from '../../harness/session/session.ts';

/** Whether the history may be cut before this node: every call made before it has its result before it. */
export function toolPairingBalancedBefore(session: Session, seq: number): boolean {
  const pairing = pairingOf(session);
  const position = pairing.positionOf(seq);
  return position === 0 || pairing.isBalancedAfter(position - 1);
}

/** Whether the history may be cut after this node. */
export function toolPairingBalancedAfter(session: Session, seq: number): boolean {
  const pairing = pairingOf(session);
  return pairing.isBalancedAfter(pairing.positionOf(seq));
}

const pairings = new WeakMap<Session, Pairing>();

function pairingOf(session: Session): Pairing {
  const { nodes, replaceGeneration } = session.surface;
  let pairing = pairings.get(session);
  if (!pairing || pairing.generation !== replaceGeneration) {
    pairing = new Pairing(session, replaceGeneration);
    pairings.set(session, pairing);
  }
  pairing.extendTo(nodes);
  return pairing;
}

/** Along the surface and not along the seqs: a summary has a high seq and an early place. */
class Pairing {
  readonly generation: number;
  readonly #session: Session;
  readonly #positions = new Map<number, number>();
  readonly #balanced: boolean[] = [];
  /** Calls without a result yet, by id; an id may be used again later. */
  readonly #open = new Map<string, number>();

  constructor(session: Session, generation: number) {
    this.#session = session;
    this.generation = generation;
  }

  extendTo(nodes: readonly number[]): void {
    for (let position = this.#balanced.length; position < nodes.length; position += 1) {
      const seq = nodes[position]!;
      this.#take(seq);
      this.#positions.set(seq, position);
      this.#balanced.push(this.#open.size === 0);
    }
  }

  positionOf(seq: number): number {
    const position = this.#positions.get(seq);
    if (position === undefined) throw corrupt(`event ${seq} is not on the surface`);
    return position;
  }

  isBalancedAfter(position: number): boolean {
    return this.#balanced[position] === true;
  }

  #take(seq: number): void {
    const event = this.#session.eventAt(seq);
    if (!event) throw corrupt(`the surface names event ${seq}, which is not in the log`);
    if (event.type === 'assistant/message') this.#openCalls(event.data.content);
    if (event.type === 'tool/result') this.#closeCall(seq, event.data.callId);
  }

  #openCalls(content: readonly ContentBlock[]): void {
    for (const block of content) {
      if (block.type === 'tool-call') this.#open.set(block.id, (this.#open.get(block.id) ?? 0) + 1);
    }
  }

  #closeCall(seq: number, id: string): void {
    const times = this.#open.get(id);
    if (times === undefined) throw corrupt(`event ${seq} is the result of ${id}, which no message before it calls`);
    if (times === 1) this.#open.delete(id);
    else this.#open.set(id, times - 1);
  }
}

function corrupt(why: string): HarnessError {
  return new HarnessError(`the surface is corrupt: ${why}`, 'COMPACT_CORRUPT_SURFACE');
}
