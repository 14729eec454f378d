import type { Context } from '../kernel/context.ts';
import { HarnessError } from '../llm/errors.ts';
import { scopeTarget } from '../scope/scope.ts';
import { BodyRun } from './body-run.ts';
import { decideCall } from './decide-call.ts';
import { dispatchExecution } from './dispatch-execution.ts';
import { judgeResult, withContexts } from './judge-result.ts';
import { materialize } from './materialize.ts';
import type { ToolCatalogue } from './tool-catalogue.ts';
import { aborted, abortedBeforeDispatch, errorResult, frozenResult, resultOfThrown } from './tool-results.ts';
import type {
  PostToolDecision,
  ToolDispatchExecution,
  ToolExecution,
  ToolExecutionInput,
  ToolExecutionResult,
} from './types.ts';

/** May run: goes to `dispatch`. */
export interface ReadyCall {
  readonly kind: 'ready';
  readonly exec: Readonly<ToolExecution>;
}
/** Ran or was denied: goes to `finalize`. */
export interface SettledCall {
  readonly kind: 'settled';
  readonly exec: Readonly<ToolExecution>;
  readonly result: Readonly<ToolExecutionResult>;
}
/** Past judging: goes to `finish`. */
export interface FinalCall {
  readonly kind: 'final';
  readonly exec: Readonly<ToolExecution>;
  readonly result: Readonly<ToolExecutionResult>;
}
type StagedCall = ReadyCall | SettledCall | FinalCall;

const ACCEPT: PostToolDecision = { kind: 'accept' };

/** The way of one call: prepare → dispatch → finalize | finish. Every outcome is a result; nothing here rejects. */
export class ToolPipeline {
  readonly #ctx: Context;
  readonly #catalogue: ToolCatalogue;
  readonly #open = new WeakSet<StagedCall>();

  constructor(ctx: Context, catalogue: ToolCatalogue) {
    this.#ctx = ctx;
    this.#catalogue = catalogue;
  }

  async prepare(input: ToolExecutionInput): Promise<StagedCall> {
    const { exec, failure } = materialize(input);
    if (failure) return this.#final(exec, resultOfThrown(failure.cause));
    if (exec.signal.aborted) return this.#final(exec, abortedBeforeDispatch());
    try {
      const denial = await decideCall(this.#ctx, this.#catalogue, exec);
      if (denial !== undefined) return this.#settled(exec, errorResult(denial));
      if (exec.signal.aborted) return this.#final(exec, abortedBeforeDispatch());
      return this.#stage({ kind: 'ready', exec });
    } catch (error) {
      return this.#final(exec, resultOfThrown(error));
    }
  }

  async dispatch(call: ReadyCall): Promise<SettledCall | FinalCall> {
    this.#take(call);
    const { exec } = call;
    const body = new BodyRun(
      exec,
      () => this.#catalogue.find(exec.name, exec.agent),
      () => this.#catalogue.visibleNames(exec.agent),
    );
    const view = dispatchExecution(exec);
    const { failed, result } = await this.#runWrapped(body, view);
    await body.settled();
    const contexts = [...body.deferredContexts, ...(result.additionalContexts ?? [])];
    const told = withContexts(unlessCancelled(exec, body, result), contexts);
    return failed ? this.#final(exec, told) : this.#settled(exec, told);
  }

  async finalize(call: SettledCall): Promise<ToolExecutionResult> {
    this.#take(call);
    const { exec, result } = call;
    try {
      const carrier = scopeTarget(exec.agent ?? {}, exec.agent);
      const decision = await this.#ctx.waterfall(carrier, 'tools/post-execute', exec, result, async () => ACCEPT);
      return this.#publish(exec, judgeResult(result, decision));
    } catch (error) {
      return this.#publish(exec, resultOfThrown(error));
    }
  }

  finish(call: FinalCall): ToolExecutionResult {
    this.#take(call);
    return this.#publish(call.exec, call.result);
  }

  async #runWrapped(
    body: BodyRun,
    view: ToolDispatchExecution,
  ): Promise<{ failed: boolean; result: ToolExecutionResult }> {
    try {
      const carrier = scopeTarget(view.agent ?? {}, view.agent);
      const result = await this.#ctx.waterfall(carrier, 'tools/execute', view, () => body.run(view));
      return { failed: false, result: checkedResult(result) };
    } catch (error) {
      return { failed: true, result: resultOfThrown(error) };
    }
  }

  #publish(exec: Readonly<ToolExecution>, result: ToolExecutionResult): ToolExecutionResult {
    const frozen = frozenResult(result);
    this.#ctx.notify(scopeTarget(exec.agent ?? {}, exec.agent), 'tools/result', exec, frozen);
    return frozen;
  }

  #settled(exec: Readonly<ToolExecution>, result: ToolExecutionResult): SettledCall {
    return this.#stage({ kind: 'settled', exec, result: frozenResult(result) });
  }

  #final(exec: Readonly<ToolExecution>, result: ToolExecutionResult): FinalCall {
    return this.#stage({ kind: 'final', exec, result: frozenResult(result) });
  }

  #stage<C extends StagedCall>(call: C): C {
    Object.freeze(call);
    this.#open.add(call);
    return call;
  }

  /** A scheduler that repeats or swaps stages has a bug: the one thing that throws here. */
  #take(call: StagedCall): void {
    if (!this.#open.delete(call)) throw new HarnessError('this stage of the tool call is over', 'STAGE_ORDER');
  }
}

/** A cancel replaces only a success: a more specific failure says more. */
function unlessCancelled(exec: ToolExecution, body: BodyRun, result: ToolExecutionResult): ToolExecutionResult {
  if (!exec.signal.aborted || result.isError) return result;
  return body.began ? aborted() : abortedBeforeDispatch();
}

function checkedResult(result: ToolExecutionResult): ToolExecutionResult {
  if (Array.isArray(result?.content) && typeof result.isError === 'boolean') return result;
  throw new TypeError('a tools/execute listener returned no result');
}
