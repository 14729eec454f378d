import type { Agent } from '../../harness/agent/types.ts';
import type { Context, Disposer, Plugin } from '../../harness/kernel/context.ts';
import { VIEW_FOR } from '../../harness/kernel/service-registry.ts';
import { duplicateNameError } from '../../harness/scope/duplicate-name-error.ts';
import { NamedEntries } from '../../harness/scope/named-entries.ts';
import { ScopedLayers } from '../../harness/scope/scoped-layers.ts';
import type { ScopeLayer } from '../../harness/scope/scoped-layers.ts';
import type { ScopeKey } from '../../harness/scope/scope.ts';
import { checkCommand } from './check-command.ts';
import type { StoredCommand } from './check-command.ts';
import { parseCommand } from './parse-command.ts';
import { runHandler } from './run-handler.ts';
import type { CommandDefinition, CommandDescriptor, CommandResult } from './types.ts';

declare module '../../harness/kernel/context.ts' {
  interface Context {
    commands: CommandService;
  }
  interface Events {
    /** What commands there are has changed; whose is not said. */
    'commands/change'(): void;
  }
}

class CommandLayer implements ScopeLayer {
  readonly commands: NamedEntries<StoredCommand>;

  constructor(scope: ScopeKey | undefined) {
    this.commands = new NamedEntries(duplicateNameError('command', scope));
  }

  isEmpty(): boolean {
    return this.commands.isEmpty();
  }
}

type Layers = ScopedLayers<CommandLayer>;

/**
 * `ctx.commands`: what people can command one agent, without a turn of the model. What is registered through a context is
 * seen in its scope and lives as long as it. Nothing of it enters the log or the history by itself.
 */
export class CommandService {
  readonly #ctx: Context;
  readonly #layers: Layers;

  constructor(ctx: Context, layers: Layers = createLayers(ctx)) {
    this.#ctx = ctx;
    this.#layers = layers;
  }

  [VIEW_FOR](ctx: Context): CommandService {
    return new CommandService(ctx, this.#layers);
  }

  /** Throws `TypeError`, and `DUPLICATE_NAME` where the layer has one of that name. */
  register(definition: CommandDefinition): Disposer {
    const stored = checkCommand(definition);
    const { name } = stored.descriptor;
    return this.#layers.effect(this.#ctx, (layer) => layer.commands.insert(name, stored), { label: `command ${name}` });
  }

  /** All that the agent understands, by name; without one, what every agent does. Frozen. */
  list(agent?: Agent): readonly CommandDescriptor[] {
    const found = agent ? this.#layers.merge(agent, (layer) => layer.commands) : this.#layers.global.commands;
    const all = [...found.values()];
    return Object.freeze(all.map(({ descriptor }) => descriptor).toSorted((a, b) => (a.name < b.name ? -1 : 1)));
  }

  find(agent: Agent, name: string): CommandDescriptor | undefined {
    return this.#find(agent, name)?.descriptor;
  }

  /** Undefined where the line is no command, or none that the agent understands: the front door says so. */
  async execute(agent: Agent, line: string, signal: AbortSignal): Promise<CommandResult | undefined> {
    const parsed = parseCommand(line);
    const command = parsed && this.#find(agent, parsed.name);
    return command && runHandler(command, { agent, rawInput: parsed.rawInput, signal });
  }

  #find(agent: Agent, name: string): StoredCommand | undefined {
    return this.#layers.peek(agent)?.commands.get(name) ?? this.#layers.global.commands.get(name);
  }
}

function createLayers(ctx: Context): Layers {
  return new ScopedLayers(
    (scope) => new CommandLayer(scope),
    () => ctx.notify('commands/change'),
  );
}

/** Provides `ctx.commands`. */
export const commands: Plugin = {
  name: 'commands',
  apply(ctx) {
    ctx.provide('commands', new CommandService(ctx));
  },
};
