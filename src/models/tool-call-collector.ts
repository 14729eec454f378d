import { CallId } from '../harness/llm/types.ts';
import type { ToolCallBlock } from '../harness/llm/types.ts';
import type { WireCallDelta } from './wire-chunk.ts';

export interface CollectedCall {
  readonly id: CallId;
  name: string;
  arguments: string;
}

interface Entry extends CollectedCall {
  wireIndex: number | undefined;
  wireId: string;
}

/**
 * Puts the pieces of tool calls together, whatever a server leaves out: no index, one index for all calls, an id only
 * on the first piece or on none, a name in pieces, late or repeated.
 */
export class ToolCallCollector {
  readonly #newId: () => string;
  readonly #entries: Entry[] = [];

  constructor(newId: () => string) {
    this.#newId = newId;
  }

  /** The call a piece belongs to, with the piece added. The same object for all pieces of a call. */
  add(delta: WireCallDelta): CollectedCall {
    const entry = this.#find(delta) ?? this.#begin(delta);
    const { name, arguments: text } = delta.function ?? {};
    if (name && entry.arguments === '') entry.name = joinName(entry.name, name);
    entry.arguments += text ?? '';
    return entry;
  }

  #find(delta: WireCallDelta): Entry | undefined {
    if (delta.index != null) return this.#entries.findLast((entry) => fitsIndex(entry, delta));
    if (delta.id) return this.#entries.find(({ wireId }) => wireId === delta.id);
    const last = this.#entries.at(-1);
    return last && last.arguments !== '' && delta.function?.name ? undefined : last;
  }

  #begin(delta: WireCallDelta): Entry {
    const wireId = delta.id ?? '';
    const isTaken = this.#entries.some(({ id }) => id === wireId);
    const id = CallId(wireId === '' || isTaken ? this.#newId() : wireId);
    const entry = { id, name: '', arguments: '', wireIndex: delta.index ?? undefined, wireId };
    this.#entries.push(entry);
    return entry;
  }
}

/** A new id that comes with a name on a used index is a new call of a server that sends one index for all. */
function fitsIndex(entry: Entry, { index, id, function: call }: WireCallDelta): boolean {
  if (entry.wireIndex !== index) return false;
  return !id || entry.wireId === '' || entry.wireId === id || !call?.name;
}

function joinName(sofar: string, piece: string): string {
  return piece.startsWith(sofar) ? piece : sofar + piece;
}

export function toolCallBlock({ id, name, arguments: text }: CollectedCall): ToolCallBlock {
  return { type: 'tool-call', id, name, arguments: text };
}
