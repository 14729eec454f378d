import type { Context, Disposer } from '../kernel/context.ts';
import { VIEW_FOR } from '../kernel/service-registry.ts';
import { HarnessError } from '../llm/errors.ts';
import type { ToolSchema } from '../llm/types.ts';
import { scopeOf } from '../scope/scope.ts';
import type { ScopeKey } from '../scope/scope.ts';
import { checkRestriction } from './check-restriction.ts';
import { checkDefinition } from './check-definition.ts';
import { ToolPipeline } from './pipeline.ts';
import type { FinalCall, ReadyCall, SettledCall } from './pipeline.ts';
import { ToolCatalogue } from './tool-catalogue.ts';
import type { ModeInput } from './tool-catalogue.ts';
import type {
  ToolDefinition,
  ToolExecutionInput,
  ToolExecutionMode,
  ToolExecutionResult,
  ToolGuard,
  ToolRestriction,
} from './types.ts';
import './events.ts';

export type { FinalCall, ReadyCall, SettledCall } from './pipeline.ts';

/**
 * `ctx.tools`. What is registered through a context is seen in its scope and lives as long as it.
 * `prepare` … `finish` are the stages of `execute`, for the scheduler of a batch; none of them rejects or is repeated.
 */
export class ToolRegistry {
  readonly #ctx: Context;
  readonly #catalogue: ToolCatalogue;
  readonly #pipeline: ToolPipeline;

  constructor(ctx: Context, shared?: { catalogue: ToolCatalogue; pipeline: ToolPipeline }) {
    this.#ctx = ctx;
    this.#catalogue = shared?.catalogue ?? new ToolCatalogue(ctx);
    this.#pipeline = shared?.pipeline ?? new ToolPipeline(ctx, this.#catalogue);
  }

  [VIEW_FOR](ctx: Context): ToolRegistry {
    return new ToolRegistry(ctx, { catalogue: this.#catalogue, pipeline: this.#pipeline });
  }

  /** Throws `DUPLICATE_NAME`, or `INVALID_TOOL` for a reserved name or a bad `timeoutMs`. */
  register(definition: ToolDefinition): Disposer {
    checkDefinition(definition);
    const insert = () => (layer: { tools: { insert(name: string, value: ToolDefinition): () => void } }) =>
      layer.tools.insert(definition.name, definition);
    return this.#catalogue.layers.effect(this.#ctx, insert(), { label: `tool ${definition.name}` });
  }

  /** Hides global tools from the scope of this context. Throws `INVALID_RESTRICTION`. */
  restrict(restriction: ToolRestriction): Disposer {
    const scope = scopeOf(this.#ctx);
    if (!scope) throw new HarnessError('restrict tools through `agent.ctx`', 'INVALID_RESTRICTION');
    const copy = checkRestriction(restriction, this.#catalogue.layers.global.tools);
    const append = (layer: { restrictions: { append(value: ToolRestriction): () => void } }) =>
      layer.restrictions.append(copy);
    return this.#catalogue.layers.effect(this.#ctx, append, { label: 'tool restriction' });
  }

  /** A veto that nothing later in the pipeline can undo. */
  guard(guard: ToolGuard): Disposer {
    return this.#catalogue.layers.effect(this.#ctx, (layer) => layer.guards.append(guard), {
      label: 'tool guard',
      notify: false,
    });
  }

  get(name: string, scope?: ScopeKey): ToolDefinition | undefined {
    return this.#catalogue.find(name, scope);
  }

  schemas(scope?: ScopeKey): ToolSchema[] {
    return this.#catalogue.schemas(scope);
  }

  /** Every name a scope could see, were nothing restricted. */
  knownNames(scope?: ScopeKey): string[] {
    return this.#catalogue.knownNames(scope);
  }

  executionMode(input: ModeInput): ToolExecutionMode {
    return this.#catalogue.executionMode(input);
  }

  /** One whole call. Never rejects. */
  async execute(input: ToolExecutionInput): Promise<ToolExecutionResult> {
    const prepared = await this.prepare(input);
    const settled = prepared.kind === 'ready' ? await this.dispatch(prepared) : prepared;
    return settled.kind === 'final' ? this.finish(settled) : this.finalize(settled);
  }

  /** Everything before the body: copying the input, pre-execute, approval, guards. */
  prepare(input: ToolExecutionInput): Promise<ReadyCall | SettledCall | FinalCall> {
    return this.#pipeline.prepare(input);
  }

  /** The wrappers and the body; the one stage that may overlap with other calls. */
  dispatch(call: ReadyCall): Promise<SettledCall | FinalCall> {
    return this.#pipeline.dispatch(call);
  }

  /** Post-execute, then `finish`. */
  finalize(call: SettledCall): Promise<ToolExecutionResult> {
    return this.#pipeline.finalize(call);
  }

  /** Publishes the frozen result. For a call that post-execute must not see. */
  finish(call: FinalCall): ToolExecutionResult {
    return this.#pipeline.finish(call);
  }
}
