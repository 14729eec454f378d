import type { Message } from '../llm/types.ts';
import { deriveEventMessage } from './derive-message.ts';
import type { SurfaceFold } from './surface-fold.ts';
import type { SessionEvent } from './types.ts';

/** The messages of a surface, kept while it grows: each call derives only what was added since the last one. */
export class History {
  readonly #surface: SurfaceFold;
  readonly #eventAt: (seq: number) => SessionEvent | undefined;
  #messages: Message[] = [];
  #nodesDerived = 0;
  #generation = 0;

  constructor(surface: SurfaceFold, eventAt: (seq: number) => SessionEvent | undefined) {
    this.#surface = surface;
    this.#eventAt = eventAt;
  }

  /** A fresh array of shared frozen messages. */
  messages(): Message[] {
    if (this.#generation !== this.#surface.generation) this.#startOver();
    const { nodes } = this.#surface;
    for (; this.#nodesDerived < nodes.length; this.#nodesDerived += 1) {
      const event = this.#eventAt(nodes[this.#nodesDerived]!);
      const message = event && deriveEventMessage(event);
      if (message) this.#messages.push(message);
    }
    return this.#messages.slice();
  }

  #startOver(): void {
    this.#messages = [];
    this.#nodesDerived = 0;
    this.#generation = this.#surface.generation;
  }
}
