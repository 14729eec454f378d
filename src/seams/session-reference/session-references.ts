import type { Agent } from '../../harness/agent/types.ts';
import type { Context, Plugin } from '../../harness/kernel/context.ts';
import type { ContentBlock } from '../../harness/llm/types.ts';
import { snapshotJsonValue } from '../../harness/session/json.ts';
import type { JsonValue, SessionId } from '../../harness/session/types.ts';
import type { SessionQueryService } from '../session-query/session-query.ts';
import type { SessionRecord } from '../session-query/types.ts';
import { projectSurface } from './project-surface.ts';
import { quoteContext } from './quote-context.ts';
import type { CapturedSession } from './quote-context.ts';
import { SessionReferenceError } from './session-reference-error.ts';
import type {
  PreparedReferencedMessage,
  SessionReferenceCandidate,
  SessionReferenceConfig,
  SessionReferenceInput,
} from './types.ts';

declare module '../../harness/kernel/context.ts' {
  interface Context {
    sessionReferences: SessionReferenceService;
  }
}

const HARD_LIMIT = 3;
const DEFAULTS = { maxReferences: HARD_LIMIT, candidateLimit: 50, maxReferenceBytes: 65_536 };

/** Provides `ctx.sessionReferences`. Throws `SESSION_REFERENCE_INVALID_CONFIG`. */
export const sessionReferences: Plugin<SessionReferenceConfig | undefined> = {
  name: 'session-references',
  inject: ['sessionQuery'],
  apply(ctx: Context, given = {}) {
    const config = { ...DEFAULTS, ...given };
    for (const [name, value] of Object.entries(config)) {
      const isFine = Number.isSafeInteger(value) && value > 0 && (name !== 'maxReferences' || value <= HARD_LIMIT);
      if (isFine) continue;
      throw new SessionReferenceError(`${name} cannot be ${String(value)}`, 'SESSION_REFERENCE_INVALID_CONFIG');
    }
    ctx.provide('sessionReferences', new SessionReferenceService(ctx.sessionQuery, config));
  },
};

/** Quotes what was said in other sessions before a prompt. Whoever offers it decides which sessions may be named. */
export class SessionReferenceService {
  readonly #query: SessionQueryService;
  readonly #config: Required<SessionReferenceConfig>;

  constructor(query: SessionQueryService, config: Required<SessionReferenceConfig>) {
    this.#query = query;
    this.#config = config;
  }

  /** Other sessions whose id or directory holds `query`: those of the same directory first, then those without one. */
  async listCandidates(
    agent: Agent,
    query = '',
    limit = this.#config.candidateLimit,
    signal?: AbortSignal,
  ): Promise<SessionReferenceCandidate[]> {
    const { cwd: own } = agent.session.header;
    const rank = ({ header: { cwd } }: SessionRecord) => (cwd === undefined ? 1 : cwd === own ? 0 : 2);
    const fits = ({ header: { id, cwd = '' } }: SessionRecord) => id.includes(query) || cwd.includes(query);
    const records = await this.#read(() => this.#query.listSessions(), signal);
    const found = records
      .filter((record) => record.header.id !== agent.id && fits(record))
      .sort((a, b) => rank(a) - rank(b))
      .slice(0, limit);
    return Promise.all(found.map((record) => this.#candidate(record, signal)));
  }

  /**
   * The message with one context that quotes the sessions, to be sent or steered together. Any failure refuses all.
   * @throws SessionReferenceError
   */
  async prepare(
    agent: Agent,
    content: ContentBlock[],
    references: readonly SessionReferenceInput[],
    signal?: AbortSignal,
  ): Promise<PreparedReferencedMessage> {
    const wanted = this.#check(agent, references);
    const copy = snapshotJsonValue(content as unknown as JsonValue) as unknown as ContentBlock[];
    const captured = await Promise.all(wanted.map((reference) => this.#capture(reference, signal)));
    const contexts = captured.length > 0 ? [quoteContext(captured, this.#config.maxReferenceBytes)] : [];
    return { content: copy, contexts };
  }

  #check({ id: own }: Agent, references: readonly SessionReferenceInput[]): SessionReferenceInput[] {
    const byId = new Map<SessionId, SessionReferenceInput>();
    for (const { sessionId, label } of references) {
      if (
        typeof sessionId !== 'string' ||
        (sessionId as string) === '' ||
        (label !== undefined && typeof label !== 'string')
      ) {
        throw new SessionReferenceError('a reference names a session by its id', 'SESSION_REFERENCE_INVALID_REFERENCE');
      }
      if (!byId.has(sessionId)) byId.set(sessionId, { sessionId, ...(label !== undefined && { label }) });
    }
    if (byId.has(own)) {
      throw new SessionReferenceError('a session cannot refer to itself', 'SESSION_REFERENCE_SELF_REFERENCE');
    }
    const { maxReferences } = this.#config;
    if (byId.size <= maxReferences) return [...byId.values()];
    const message = `at most ${maxReferences} sessions can be referred to in one message, not ${byId.size}`;
    throw new SessionReferenceError(message, 'SESSION_REFERENCE_TOO_MANY');
  }

  async #capture(
    { sessionId, label }: SessionReferenceInput,
    signal: AbortSignal | undefined,
  ): Promise<CapturedSession> {
    const read = () => this.#query.readSurface(sessionId);
    const { session, capturedThroughSeq, events } = await this.#read(read, signal);
    const name = label ?? (await this.#titleOf(sessionId));
    const { cwd } = session;
    const messages = projectSurface(events);
    return { sessionId, label: name, ...(cwd !== undefined && { cwd }), capturedThroughSeq, messages };
  }

  async #candidate({ header: { id, cwd, createdAt } }: SessionRecord, signal: AbortSignal | undefined) {
    assertWanted(signal);
    return { sessionId: id, label: await this.#titleOf(id), ...(cwd !== undefined && { cwd }), createdAt };
  }

  /** A session whose title cannot be read goes by its id. */
  async #titleOf(id: SessionId): Promise<string> {
    const title = await this.#query.readTitle(id).catch(() => undefined);
    return title?.title ?? id;
  }

  async #read<T>(read: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
    assertWanted(signal);
    try {
      return await read();
    } catch (cause) {
      throw new SessionReferenceError('a session cannot be read', 'SESSION_REFERENCE_READ_FAILED', { cause });
    } finally {
      assertWanted(signal);
    }
  }
}

function assertWanted(signal: AbortSignal | undefined): void {
  if (!signal?.aborted) return;
  throw new SessionReferenceError('nobody waits for it any more', 'SESSION_REFERENCE_CANCELLED', {
    cause: signal.reason,
  });
}
