import type { Agent } from '../../harness/agent/types.ts';
import { HarnessError } from '../../harness/llm/errors.ts';
import type { ContentBlock, MessageSource } from '../../harness/llm/types.ts';
import type { JsonValue, SessionEvent, SessionId } from '../../harness/session/types.ts';
import type { Progress } from '../../publish/progress/surface.ts';
import type { CommandResult } from '../../seams/commands/types.ts';
import '../../harness/agent/parked.ts';
import '../../seams/commands/command-service.ts';
import { wasTold } from '../session/was-told.ts';
import type { JobRequest } from './job.ts';
import type { LiveTurn } from './live-turns.ts';

/** What it takes to find a job's turn while it runs: nothing but its agent, once that is there. */
export class LiveJob implements LiveTurn {
  readonly session: SessionId;
  readonly cause: string;
  readonly job: LiveTurn['job'];
  readonly startedBy: LiveTurn['startedBy'];
  /** Where the job stands, in one line. */
  line = 'getting ready';
  readonly #stopping = new AbortController();
  readonly #agent = Promise.withResolvers<Agent>();
  readonly #ended = Promise.withResolvers<void>();
  readonly #settled: ((request: string) => void)[] = [];
  #isEnded = false;

  constructor({ session, turn: { job, reading } }: Pick<JobRequest, 'session' | 'turn'>) {
    this.session = session;
    this.cause = reading.cause;
    this.job = job;
    this.startedBy = { id: reading.actor.id, login: reading.actor.login };
    this.#agent.promise.catch(() => {});
  }

  /** Aborted when somebody stops the job. */
  get stopped(): AbortSignal {
    return this.#stopping.signal;
  }

  /** Progress that is known here, too. */
  follow(progress: Progress): Progress {
    return {
      changed: (line) => {
        if (line) this.line = line;
        progress.changed(line);
      },
      end: (ending) => progress.end(ending),
      leave: () => progress.leave(),
    };
  }

  /** Whoever has something to say waits for the job's turn: said before, it would be a turn of its own, that nobody tells of. */
  attach(agent: Agent): void {
    if (agent.session.openTurn !== undefined) return this.#agent.resolve(agent);
    const stop = agent.ctx.on('session/event', (_session, { type }) => {
      if (type !== 'turn/start') return;
      void stop();
      this.#agent.resolve(agent);
    });
  }

  onSettled(listener: (request: string) => void): void {
    this.#settled.push(listener);
  }

  /** Nothing more reaches it. */
  end(): void {
    this.#isEnded = true;
    this.#agent.reject(notRunning());
    this.#ended.resolve();
  }

  /** Rejects with `NOT_RUNNING` where the turn ended before the model could be told. */
  steer(content: ContentBlock[], source: MessageSource): Promise<void> {
    const by = 'cause' in source ? source.cause : undefined;
    return this.#tell(content, by, (agent) => agent.steer(content, { source }));
  }

  inject(content: ContentBlock[], source: MessageSource, meta?: JsonValue): Promise<void> {
    const { delivery } = (meta ?? {}) as { delivery?: unknown };
    return this.#tell(content, delivery, (agent) =>
      agent.inject(content, { source, ...(meta !== undefined && { meta }) }),
    );
  }

  /**
   * Resolves once it is stored: what was said is not lost with the process. What could not be stored stands in the log all the
   * same, until it can: who comes again with it, by the same cause or delivery, waits for that and says nothing twice.
   */
  async #tell(content: ContentBlock[], by: unknown, say: (agent: Agent) => void): Promise<void> {
    const agent = await this.#agent.promise;
    if (this.#isEnded || !this.#isAtWork(agent)) throw notRunning();
    const isSaid = typeof by === 'string' && wasTold(by, agent.session.events);
    if (!isSaid) await this.#sayIn(agent, content, say);
    await agent.ctx.sessions.flush(agent.session);
  }

  async #sayIn(agent: Agent, content: ContentBlock[], say: (agent: Agent) => void): Promise<void> {
    const recorded = untilRecorded(agent, content, agent.session.seq);
    say(agent);
    const isIn = await Promise.race([recorded.done.then(() => true), this.#ended.promise.then(() => false)]);
    recorded.stop();
    if (!isIn) throw notRunning();
  }

  /** A goal goes on after a turn; every other job has come to its end with it. */
  #isAtWork({ session }: Agent): boolean {
    return this.job === 'goal' || session.openTurn !== undefined;
  }

  async stop(): Promise<void> {
    this.#stopping.abort({ kind: 'user' });
    await this.#ended.promise;
  }

  async command(line: string, signal: AbortSignal): Promise<CommandResult | undefined> {
    const agent = await this.#agent.promise;
    return agent.ctx.get('commands')?.execute(agent, line, signal);
  }

  settled(request: string): void {
    for (const listener of this.#settled) listener(request);
  }
}

function notRunning(): HarnessError {
  return new HarnessError('the turn has ended', 'NOT_RUNNING');
}

/** Resolves when the log holds a message of this very content. */
function untilRecorded(agent: Agent, content: ContentBlock[], from: number) {
  const { promise: done, resolve } = Promise.withResolvers<void>();
  const wanted = JSON.stringify(content);
  const stop = agent.ctx.on('session/event', (_session, event) => {
    if (event.seq >= from && contentsOf(event).some((said) => JSON.stringify(said) === wanted)) resolve();
  });
  return { done, stop: () => void stop() };
}

/** What an event puts before the model, as it was given. */
function contentsOf(event: SessionEvent): readonly ContentBlock[][] {
  switch (event.type) {
    case 'steering/message':
    case 'user/message':
      return [event.data.envelope?.displayContent ?? event.data.content];
    case 'context/message':
      return [event.data.content];
    case 'context/held':
      return event.data.contexts.map((context) => context.content);
    default:
      return [];
  }
}
