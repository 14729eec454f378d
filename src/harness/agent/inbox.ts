import type { ContentBlock, MessageSource } from '../llm/types.ts';
import type { TurnTrigger } from '../session/types.ts';
import type { HookContext } from './types.ts';
import type { ResumeParkedOptions } from './parked.ts';

/** Input as it was accepted: detached from the caller and frozen. */
export interface QueuedPrompt {
  readonly content: ContentBlock[];
  readonly source: MessageSource;
  readonly contexts: readonly HookContext[];
  readonly trigger?: TurnTrigger;
}

/** One item is one turn at most. */
export type InboxItem =
  { kind: 'prompt'; prompt: QueuedPrompt } | { kind: 'resume-parked'; resume: ResumeParkedOptions };

/** What waits for a turn, what joins the running one, and what may not enter the history yet. */
export class Inbox {
  #queued: InboxItem[] = [];
  #steering: QueuedPrompt[] = [];
  #held: HookContext[] = [];

  enqueue(prompt: QueuedPrompt): void {
    this.#queued.push({ kind: 'prompt', prompt });
  }

  /** Goes first: no other turn may open before a parked one is answered. */
  enqueueResume(resume: ResumeParkedOptions): void {
    this.#queued.unshift({ kind: 'resume-parked', resume });
  }

  steer(prompt: QueuedPrompt): void {
    this.#steering.push(prompt);
  }

  hold(contexts: readonly HookContext[]): void {
    this.#held.push(...contexts);
  }

  holdFirst(contexts: readonly HookContext[]): void {
    this.#held.unshift(...contexts);
  }

  claim(): InboxItem | undefined {
    return this.#queued.shift();
  }

  takeSteering(): QueuedPrompt[] {
    return this.#steering.splice(0);
  }

  takeHeld(): HookContext[] {
    return this.#held.splice(0);
  }

  /** Takes every prompt back out, steering last. */
  takeUnstarted(): QueuedPrompt[] {
    const queued = this.#queued.splice(0).flatMap((item) => (item.kind === 'prompt' ? [item.prompt] : []));
    return [...queued, ...this.takeSteering()];
  }

  requeueSteering(): void {
    for (const prompt of this.takeSteering()) this.enqueue(prompt);
  }

  /** Held contexts stay: they are facts that were already accepted into the running turn. */
  clear(): void {
    this.#queued = [];
    this.#steering = [];
  }

  get hasQueued(): boolean {
    return this.#queued.length > 0;
  }

  get hasSteering(): boolean {
    return this.#steering.length > 0;
  }

  get hasWaking(): boolean {
    return this.hasQueued || this.hasSteering;
  }
}
