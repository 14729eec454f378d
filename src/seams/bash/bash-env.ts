import type { Context, Plugin } from '../../harness/kernel/context.ts';
import { HarnessError } from '../../harness/llm/errors.ts';
import type { SessionId } from '../../harness/session/types.ts';
import type { ToolExecution } from '../../harness/tools/types.ts';
import type { DshEnvironment, DshEnvironmentKey } from './executor.ts';

export interface BashEnvVariable {
  description: string;
}
/** Facts one part of the program gives to commands; `resolve` runs anew for every tool call. */
export interface BashEnvContributor {
  name: string;
  variables: Readonly<Record<DshEnvironmentKey, BashEnvVariable>>;
  resolve(execution: ToolExecution): Readonly<Partial<Record<DshEnvironmentKey, string>>>;
}
export interface BashEnvVariableInfo extends BashEnvVariable {
  contributor: string;
  key: DshEnvironmentKey;
}
/** `home` is a path as commands see it; `sessionFile` answers only where a store can name a file they can open. */
export interface BashEnvConfig {
  home: string;
  sessionFile?: (id: SessionId) => string | undefined;
}

declare module '../../harness/kernel/context.ts' {
  interface Context {
    bashEnv: BashEnvRegistry;
  }
}

const KEY = /^DSH_[A-Z][A-Z0-9_]*$/;

/** The trusted `DSH_*` variables of commands; each has exactly one owner. */
export class BashEnvRegistry {
  readonly #contributors = new Set<BashEnvContributor>();
  readonly #owners = new Map<string, string>();

  constructor(config: BashEnvConfig) {
    this.register(builtIns(config));
  }

  /** @throws HarnessError `BASH_ENV_INVALID` for bad or taken names and blank descriptions */
  register(contributor: BashEnvContributor): () => void {
    const keys = this.#checkedKeys(contributor);
    for (const key of keys) this.#owners.set(key, contributor.name);
    this.#contributors.add(contributor);
    return () => {
      if (this.#contributors.delete(contributor)) keys.forEach((key) => this.#owners.delete(key));
    };
  }

  /** @throws HarnessError `BASH_ENV_INVALID` when a contributor gives an undeclared or non-string value */
  collect(execution: ToolExecution): DshEnvironment {
    const entries = [...this.#contributors].flatMap((contributor) => resolved(contributor, execution));
    return Object.fromEntries(entries);
  }

  list(): BashEnvVariableInfo[] {
    return [...this.#contributors].flatMap(({ name, variables }) =>
      keysOf(variables).map((key) => ({ contributor: name, key, description: variables[key]!.description })),
    );
  }

  #checkedKeys({ name, variables }: BashEnvContributor): DshEnvironmentKey[] {
    if (name.trim() === '') throw invalid('A contributor of bash variables needs a name');
    for (const key of keysOf(variables)) {
      if (!KEY.test(key)) throw invalid(`${name}: ${key} is not of the form DSH_NAME`);
      if (this.#owners.has(key)) throw invalid(`${name}: ${key} belongs to ${this.#owners.get(key)}`);
      if (!variables[key]?.description.trim()) throw invalid(`${name}: ${key} needs a description`);
    }
    return keysOf(variables);
  }
}

function builtIns({ home, sessionFile }: BashEnvConfig): BashEnvContributor {
  return {
    name: 'dsh',
    variables: {
      DSH_HOME: { description: 'Where dsh keeps what commands may read' },
      DSH_SHELL: { description: '1 in every command that dsh runs' },
      DSH_SESSION_ID: { description: 'The session whose agent runs the command' },
      DSH_SESSION_JSONL: { description: 'The session log, where it is a file' },
    },
    resolve({ agent }) {
      const file = agent && sessionFile?.(agent.session.id);
      return {
        DSH_HOME: home,
        DSH_SHELL: '1',
        ...(agent && { DSH_SESSION_ID: agent.session.id }),
        ...(file !== undefined && { DSH_SESSION_JSONL: file }),
      };
    },
  };
}

function resolved(contributor: BashEnvContributor, execution: ToolExecution): [string, string][] {
  return Object.entries(contributor.resolve(execution)).map(([key, value]) => {
    if (!Object.hasOwn(contributor.variables, key)) throw invalid(`${contributor.name}: ${key} was not declared`);
    if (typeof value !== 'string') throw invalid(`${contributor.name}: ${key} must be a string`);
    return [key, value];
  });
}

function keysOf(variables: BashEnvContributor['variables']): DshEnvironmentKey[] {
  return Object.keys(variables) as DshEnvironmentKey[];
}

function invalid(message: string): HarnessError {
  return new HarnessError(message, 'BASH_ENV_INVALID');
}

export const bashEnvPlugin: Plugin<BashEnvConfig> = {
  name: 'bash-env',
  apply(ctx: Context, config) {
    ctx.provide('bashEnv', new BashEnvRegistry(config));
  },
};
