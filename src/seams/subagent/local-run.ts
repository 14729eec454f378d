import type { Agent, AgentHandle } from '../../harness/agent/types.ts';
import type { ContentBlock } from '../../harness/llm/types.ts';
import type { SessionId } from '../../harness/session/types.ts';
import { readResult } from './read-result.ts';
import type { StructuredCapture } from './structured-output.ts';
import type { SubagentResult, SubagentRun } from './types.ts';
import type { WorkPlace } from './work-place.ts';

/** Whose word a child's prompt is. */
export const DELEGATION_SOURCE = { kind: 'plugin', plugin: 'subagent' } as const;

export interface LocalRunParts {
  readonly handle: AgentHandle;
  readonly signal: AbortSignal;
  readonly structured: StructuredCapture | undefined;
  readonly place: Pick<WorkPlace, 'collect' | 'close'>;
}

/** A child agent in this process, at work on its prompt. */
export class LocalRun implements SubagentRun {
  readonly result: Promise<SubagentResult>;
  readonly #parts: LocalRunParts;
  #isCancelled = false;
  #disposal: Promise<void> | undefined;

  constructor(parts: LocalRunParts, prompt: ContentBlock[]) {
    this.#parts = parts;
    parts.signal.addEventListener('abort', this.#cancel, { once: true });
    this.localAgent.send(prompt, { source: DELEGATION_SOURCE });
    this.result = this.#finish();
    if (parts.signal.aborted) this.#cancel();
  }

  get id(): SessionId {
    return this.localAgent.id;
  }

  get localAgent(): Agent {
    return this.#parts.handle.agent;
  }

  dispose(): Promise<void> {
    return (this.#disposal ??= this.#end());
  }

  readonly #cancel = (): void => {
    this.#isCancelled = true;
    this.localAgent.cancel({ kind: 'parent' });
  };

  async #finish(): Promise<SubagentResult> {
    const { structured, place } = this.#parts;
    const { session } = this.localAgent;
    await this.localAgent.whenIdle();
    const events = session.events.slice(session.header.seedLength ?? 0);
    const result = readResult({ events, isCancelled: this.#isCancelled, structured });
    const patch = result.stopReason === 'completed' ? await place.collect() : undefined;
    return patch ? { ...result, patch } : result;
  }

  async #end(): Promise<void> {
    this.#cancel();
    try {
      await this.result;
    } finally {
      this.#parts.signal.removeEventListener('abort', this.#cancel);
      await this.#parts.handle.dispose().finally(() => this.#parts.place.close());
    }
  }
}
