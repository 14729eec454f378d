import type { Context, Disposer } from '../kernel/context.ts';
import { VIEW_FOR } from '../kernel/service-registry.ts';
import { HarnessError } from '../llm/errors.ts';
import type { ToolSchema } from '../llm/types.ts';
import { scopeOf } from '../scope/scope.ts';
import type { ScopeKey } from '../scope/scope.ts';
import { checkDefinition } from './check-definition.ts';
import { checkRestriction } from './check-restriction.ts';
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

interface Core {
  catalogue: ToolCatalogue;
  pipeline: ToolPipeline;
}

/**
 * `ctx.tools`. What is registered through a context is seen in its scope and lives as long as it.
 * `prepare`, `dispatch`, `finalize` and `finish` are the stages of `execute`, for the scheduler of a batch.
 */
export class ToolRegistry {
  readonly #ctx: Context;
  readonly #core: Core;

  constructor(ctx: Context, core: Core = createCore(ctx)) {
    this.#ctx = ctx;
    this.#core = core;
  }

  [VIEW_FOR](ctx: Context): ToolRegistry {
    return new ToolRegistry(ctx, this.#core);
  }

  /** Throws `DUPLICATE_NAME`, or `INVALID_TOOL` for a reserved name or a bad `timeoutMs`. */
  register(definition: ToolDefinition): Disposer {
    checkDefinition(definition);
    const label = `tool ${definition.name}`;
    return this.#layers.effect(this.#ctx, (layer) => layer.tools.insert(definition.name, definition), { label });
  }

  /** Hides global tools from the scope of this context. Throws `INVALID_RESTRICTION`. */
  restrict(restriction: ToolRestriction): Disposer {
    if (!scopeOf(this.#ctx)) throw new HarnessError('restrict tools through `agent.ctx`', 'INVALID_RESTRICTION');
    const copy = checkRestriction(restriction, this.#layers.global.tools);
    const label = 'tool restriction';
    return this.#layers.effect(this.#ctx, (layer) => layer.restrictions.append(copy), { label });
  }

  /** A veto that nothing later in the pipeline can undo. */
  guard(guard: ToolGuard): Disposer {
    const options = { label: 'tool guard', notify: false };
    return this.#layers.effect(this.#ctx, (layer) => layer.guards.append(guard), options);
  }

  get(name: string, scope?: ScopeKey): ToolDefinition | undefined {
    return this.#core.catalogue.find(name, scope);
  }

  /** What the model is told of the tools a scope sees. */
  schemas(scope?: ScopeKey): ToolSchema[] {
    return this.#core.catalogue.schemas(scope);
  }

  /** Every name a scope could see, were nothing restricted. */
  knownNames(scope?: ScopeKey): string[] {
    return this.#core.catalogue.knownNames(scope);
  }

  /** Whether a call may overlap with others, as things are now. */
  executionMode(input: ModeInput): ToolExecutionMode {
    return this.#core.catalogue.executionMode(input);
  }

  /** One whole call. Never rejects. */
  async execute(input: ToolExecutionInput): Promise<ToolExecutionResult> {
    const prepared = await this.prepare(input);
    const settled = prepared.kind === 'ready' ? await this.dispatch(prepared) : prepared;
    return settled.kind === 'final' ? this.finish(settled) : this.finalize(settled);
  }

  /** Everything before the body: the copy of the input, pre-execute, approval, guards. */
  prepare(input: ToolExecutionInput): Promise<ReadyCall | SettledCall | FinalCall> {
    return this.#core.pipeline.prepare(input);
  }

  /** The wrappers and the body; the one stage that may overlap with other calls. */
  dispatch(call: ReadyCall): Promise<SettledCall | FinalCall> {
    return this.#core.pipeline.dispatch(call);
  }

  /** Post-execute, then the frozen result is published. */
  finalize(call: SettledCall): Promise<ToolExecutionResult> {
    return this.#core.pipeline.finalize(call);
  }

  /** Publishes the frozen result of a call that post-execute must not see. */
  finish(call: FinalCall): ToolExecutionResult {
    return this.#core.pipeline.finish(call);
  }

  get #layers(): ToolCatalogue['layers'] {
    return this.#core.catalogue.layers;
  }
}

function createCore(ctx: Context): Core {
  const catalogue = new ToolCatalogue(ctx);
  return { catalogue, pipeline: new ToolPipeline(ctx, catalogue) };
}
