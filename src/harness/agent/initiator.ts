import { AsyncLocalStorage } from 'node:async_hooks';
import { HarnessError } from '../llm/errors.ts';
import type { Agent } from './types.ts';

/** On whose behalf asynchronous work runs. For attribution only: neither proof of life nor authority. */
export class InitiatorScope {
  readonly #storage = new AsyncLocalStorage<Agent | undefined>();

  current(): Agent | undefined {
    return this.#storage.getStore();
  }

  require(): Agent {
    const agent = this.current();
    if (agent === undefined) throw new HarnessError('this must run on behalf of an agent', 'NO_INITIATOR');
    return agent;
  }

  run<R>(agent: Agent | undefined, fn: () => R): R {
    return this.#storage.run(agent, fn);
  }
}
