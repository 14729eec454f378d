import { agentInterruptReasonOf } from '../../harness/agent/interrupt-reason.ts';
import type { Agent } from '../../harness/agent/types.ts';
import type { Context, Disposer, Plugin } from '../../harness/kernel/context.ts';
import { VIEW_FOR } from '../../harness/kernel/service-registry.ts';
import { checkAnswer } from './check-answer.ts';
import type {
  AskUserQuestionAnswer,
  AskUserQuestionItem,
  AskUserQuestionRequest,
  UserInteractionProvider,
} from './types.ts';
import { UserInteractionError } from './user-interaction-error.ts';

declare module '../../harness/kernel/context.ts' {
  interface Context {
    userInteraction: UserInteractionService;
  }
}

/** `ctx.userInteraction`: stops until a person has answered. It asks for information and grants nothing. */
export class UserInteractionService {
  readonly #ctx: Context;
  readonly #shared: { provider: UserInteractionProvider | undefined };

  constructor(ctx: Context, shared: { provider: UserInteractionProvider | undefined } = { provider: undefined }) {
    this.#ctx = ctx;
    this.#shared = shared;
  }

  [VIEW_FOR](ctx: Context): UserInteractionService {
    return new UserInteractionService(ctx, this.#shared);
  }

  /** One at a time, for as long as the registering context lives. @throws UserInteractionError `DUPLICATE_PROVIDER` */
  registerProvider(provider: UserInteractionProvider): Disposer {
    if (this.#shared.provider)
      throw new UserInteractionError('questions have a provider already', 'DUPLICATE_PROVIDER');
    return this.#ctx.effect(() => {
      this.#shared.provider = provider;
      return () => void (this.#shared.provider === provider && (this.#shared.provider = undefined));
    }, 'question provider');
  }

  /** @throws UserInteractionError that says why there is no answer */
  async ask(request: AskUserQuestionRequest): Promise<AskUserQuestionAnswer> {
    const { questions, agent, signal } = request;
    if (signal?.aborted) throw aborted();
    if (questions.length === 0) throw new UserInteractionError('there is no question', 'EMPTY_QUESTIONS');
    assertDistinct(questions);
    if (agent) this.#assertMayAsk(agent);
    const { provider } = this.#shared;
    if (!provider)
      throw new UserInteractionError('nobody can be asked here — decide yourself, and say so', 'NO_PROVIDER');
    return checkAnswer(questions, await unlessAborted(provider, request));
  }

  /** A child's question would reach nobody. Who owns it now decides, not where it once came from. */
  #assertMayAsk(agent: Agent): void {
    const { agents } = this.#ctx;
    if (agents.get(agent.id) !== agent)
      throw new UserInteractionError('the asking agent is not live', 'CALLER_NOT_LIVE');
    if (agents.roots().includes(agent)) return;
    throw new UserInteractionError(
      'an agent that works for another cannot ask people — put the open question into the final result',
      'DELEGATED_CALLER',
    );
  }
}

/** Provides `ctx.userInteraction`. */
export const userInteraction: Plugin = {
  name: 'user-interaction',
  inject: ['agents'],
  apply(ctx) {
    ctx.provide('userInteraction', new UserInteractionService(ctx));
  },
};

function assertDistinct(questions: readonly AskUserQuestionItem[]): void {
  if (new Set(questions.map(({ id }) => id)).size < questions.length)
    throw new UserInteractionError('two questions have the same id', 'DUPLICATE_QUESTION_ID');
  for (const { id, options = [] } of questions) {
    if (new Set(options.map(({ label }) => label)).size < options.length)
      throw new UserInteractionError(`two options of "${id}" have the same label`, 'DUPLICATE_OPTION');
  }
}

async function unlessAborted(
  provider: UserInteractionProvider,
  request: AskUserQuestionRequest,
): Promise<AskUserQuestionAnswer> {
  const { signal } = request;
  const asking = (async () => provider.ask(request))();
  if (!signal) return asking;
  const { promise, reject } = Promise.withResolvers<never>();
  const onAbort = () => reject(agentInterruptReasonOf(signal)?.kind === 'parked' ? parked() : aborted());
  signal.addEventListener('abort', onAbort, { once: true });
  asking.catch(() => {});
  return Promise.race([asking, promise]).finally(() => signal.removeEventListener('abort', onAbort));
}

function aborted(): UserInteractionError {
  return new UserInteractionError('the question was withdrawn before anybody answered', 'ASK_ABORTED');
}

function parked(): UserInteractionError {
  return new UserInteractionError('the turn was parked while this question waited', 'ASK_PARKED');
}
