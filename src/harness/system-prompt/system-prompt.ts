import type { Context, Disposer, Plugin } from '../kernel/context.ts';
import { VIEW_FOR } from '../kernel/service-registry.ts';
import { HarnessError } from '../llm/errors.ts';
import { scopeTarget } from '../scope/scope.ts';
import { ScopedLayers } from '../scope/scoped-layers.ts';
import { checkAssembly } from './check-assembly.ts';
import { collectAssembly } from './collect-assembly.ts';
import { PromptLayer } from './prompt-layer.ts';
import type { ToolProvider, VariableProvider } from './prompt-layer.ts';
import { checkToolOrder } from './tool-order.ts';
import type { AssembleContext, PromptAssembly, PromptSection, SystemPromptConfig } from './types.ts';
import { isVariableName } from './variable-name.ts';
import './events.ts';

const IDENTITY =
  'You are dsh: you work on a GitHub repository through tools in a container, and people read your result later.';

interface Core {
  layers: ScopedLayers<PromptLayer>;
  toolOrder: readonly string[] | undefined;
}

/**
 * `ctx.systemPrompt`. What is registered through a context is seen in its scope and lives as long as it.
 * Order bands: -100 identity, 0 persona, other small numbers modes, 100 to 199 guidance on tools.
 */
export class SystemPrompt {
  readonly #ctx: Context;
  readonly #core: Core;

  /** Throws `INVALID_TOOL_ORDER`. */
  constructor(ctx: Context, config: SystemPromptConfig = {}, core?: Core) {
    this.#ctx = ctx;
    this.#core = core ?? createCore(ctx, config);
    if (core) return;
    this.section({ name: 'harness:identity', order: -100, text: IDENTITY });
    this.section({ name: 'deployment:persona', order: 0, text: config.persona ?? '' });
  }

  [VIEW_FOR](ctx: Context): SystemPrompt {
    return new SystemPrompt(ctx, {}, this.#core);
  }

  /** Throws `DUPLICATE_NAME`, and `TypeError` for an order that is not finite. */
  section(section: PromptSection): Disposer {
    const { name, order } = section;
    if (!Number.isFinite(order)) throw new TypeError(`the order of prompt section "${name}" must be finite`);
    return this.#register(`prompt section ${name}`, (layer) => layer.sections.insert(name, section));
  }

  tools(provider: ToolProvider): Disposer {
    return this.#register('tool provider', (layer) => layer.toolProviders.append(provider));
  }

  /** Throws `DUPLICATE_NAME` or `INVALID_VARIABLE_NAME`. */
  variable(name: string, provider: VariableProvider): Disposer {
    if (!isVariableName(name)) throw new HarnessError(`"${name}" is no variable name`, 'INVALID_VARIABLE_NAME');
    return this.#register(`prompt variable ${name}`, (layer) => layer.variables.insert(name, provider));
  }

  /** Everything the model is told of itself and its tools, collected anew. Every failure is a rejection. */
  async assemble(context: AssembleContext = {}): Promise<PromptAssembly> {
    const collected = collectAssembly(this.#core.layers, context, this.#core.toolOrder);
    const carrier = scopeTarget({}, context.scope);
    const assembly = await this.#ctx.waterfall(
      carrier,
      'system-prompt/assemble',
      collected,
      context,
      async () => collected,
    );
    checkAssembly(assembly);
    return assembly;
  }

  #register(label: string, insert: (layer: PromptLayer) => () => void): Disposer {
    return this.#core.layers.effect(this.#ctx, insert, { label });
  }
}

function createCore(ctx: Context, { toolOrder }: SystemPromptConfig): Core {
  if (toolOrder) checkToolOrder(toolOrder);
  const createLayer = (scope: object | undefined) => new PromptLayer(scope);
  const layers = new ScopedLayers(createLayer, () => ctx.emit('system-prompt/change'));
  return { layers, toolOrder: toolOrder && [...toolOrder] };
}

/** Provides `ctx.systemPrompt`. */
export const systemPrompt: Plugin<SystemPromptConfig | undefined> = {
  name: 'system-prompt',
  apply(ctx, config) {
    ctx.provide('systemPrompt', new SystemPrompt(ctx, config));
  },
};
