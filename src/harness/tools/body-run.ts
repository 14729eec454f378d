import type { HookContext } from '../agent/types.ts';
import { fusedSignal } from './dispatch-execution.ts';
import { ToolNotFoundError } from './errors.ts';
import { abortedBeforeDispatch, resultOfThrown } from './tool-results.ts';
import type {
  ToolDefinition,
  ToolDispatchExecution,
  ToolExecuteReturn,
  ToolExecution,
  ToolExecutionResult,
} from './types.ts';

/** The innermost part of a call: the tool's own code, and what is known of its run. */
export class BodyRun {
  readonly #exec: Readonly<ToolExecution>;
  readonly #find: () => ToolDefinition | undefined;
  readonly #known: () => readonly string[];
  /** Kept apart from results, so that no wrapper can lose them. */
  readonly deferredContexts: HookContext[] = [];
  began = false;
  #running: Promise<ToolExecutionResult> | undefined;

  /** `known` are the names that the caller sees. */
  constructor(exec: Readonly<ToolExecution>, find: () => ToolDefinition | undefined, known: () => readonly string[]) {
    this.#exec = exec;
    this.#find = find;
    this.#known = known;
  }

  /** Never rejects: wrappers see a result, whatever the body did. */
  run(view: ToolDispatchExecution): Promise<ToolExecutionResult> {
    this.#running = this.#run(fusedSignal(this.#exec.signal, view.signal));
    return this.#running;
  }

  /** A wrapper may have returned early; the call is not over while its body runs. */
  async settled(): Promise<void> {
    await this.#running;
  }

  async #run(signal: AbortSignal): Promise<ToolExecutionResult> {
    if (signal.aborted) return abortedBeforeDispatch();
    try {
      const tool = this.#find();
      if (!tool) throw new ToolNotFoundError(this.#exec.name, this.#known());
      this.began = true;
      const deferContext = (context: HookContext) => void this.deferredContexts.push(context);
      return successOf(
        await tool.execute(this.#exec.arguments, Object.freeze({ ...this.#exec, signal, deferContext })),
      );
    } catch (error) {
      return resultOfThrown(error);
    }
  }
}

function successOf(returned: ToolExecuteReturn): ToolExecutionResult {
  const { content, meta } = Array.isArray(returned) ? { content: returned, meta: undefined } : returned;
  if (!Array.isArray(content)) throw new TypeError('the tool returned no content');
  return { content, isError: false, ...(meta !== undefined && { meta }) };
}
