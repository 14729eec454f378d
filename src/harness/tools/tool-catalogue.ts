import type { Context } from '../kernel/context.ts';
import type { ToolSchema } from '../llm/types.ts';
import type { ScopeKey } from '../scope/scope.ts';
import { ScopedLayers } from '../scope/scoped-layers.ts';
import { ToolLayer } from './tool-layer.ts';
import type { ToolDefinition, ToolExecutionInput, ToolExecutionMode, ToolGuard, ToolRestriction } from './types.ts';

/** Which tools exist, and which of them a scope sees. The model, look-up and execution all use this one view. */
export class ToolCatalogue {
  readonly layers: ScopedLayers<ToolLayer>;

  constructor(ctx: Context) {
    this.layers = new ScopedLayers(
      (scope) => new ToolLayer(scope),
      () => ctx.emit('tools/change'),
    );
  }

  find(name: string, scope: ScopeKey | undefined): ToolDefinition | undefined {
    const layer = this.layers.peek(scope);
    return layer?.tools.get(name) ?? (isAllowed(name, layer) ? this.layers.global.tools.get(name) : undefined);
  }

  schemas(scope: ScopeKey | undefined): ToolSchema[] {
    return this.#visible(scope).map(([name, { description, parameters }]) => ({
      ...{ name, description },
      parameters: structuredClone(parameters),
    }));
  }

  visibleNames(scope: ScopeKey | undefined): string[] {
    return this.#visible(scope).map(([name]) => name);
  }

  /** Every name a scope could see, were nothing restricted. */
  knownNames(scope: ScopeKey | undefined): string[] {
    return [...this.layers.merge(scope, (layer) => layer.tools).keys()];
  }

  /** Overlap has to be granted in so many words; any doubt makes a call exclusive. */
  executionMode({ name, agent, arguments: args }: ModeInput): ToolExecutionMode {
    try {
      const isSafe: unknown = this.find(name, agent)?.isConcurrencySafe?.(args);
      return { kind: isSafe === true ? 'parallel' : 'exclusive' };
    } catch {
      return { kind: 'exclusive' };
    }
  }

  #visible(scope: ScopeKey | undefined): (readonly [string, ToolDefinition])[] {
    const own = this.layers.peek(scope);
    const all = this.layers.merge(scope, (layer) => layer.tools);
    return [...all].filter(([name]) => own?.tools.has(name) || isAllowed(name, own));
  }

  /** Live: a guard added while others are asked is asked as well. */
  *guards(scope: ScopeKey | undefined): Iterable<ToolGuard> {
    yield* this.layers.global.guards.values();
    yield* this.layers.peek(scope)?.guards.values() ?? [];
  }
}

export type ModeInput = Pick<ToolExecutionInput, 'name' | 'arguments' | 'agent'>;

function isAllowed(name: string, layer: ToolLayer | undefined): boolean {
  return !layer || [...layer.restrictions.values()].every((restriction) => admits(restriction, name));
}

function admits({ allow, deny }: ToolRestriction, name: string): boolean {
  return (allow?.includes(name) ?? true) && !deny?.includes(name);
}
