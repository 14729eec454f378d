import { mkdtempSync, rmSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { END_PROCESSES } from '../../../src/bot/fix/verify/end-processes.ts';
import { layBaseCommand } from '../../../src/bot/fix/verify/lay-base.ts';
import { LiveTurns } from '../../../src/bot/job/live-turns.ts';
import type { JobOutcome, JobRequest, RepositoryAccess } from '../../../src/bot/job/job.ts';
import { PeopleService } from '../../../src/bot/people/people.ts';
import type { Room, RoomOptions } from '../../../src/bot/job/room.ts';
import { runJob } from '../../../src/bot/job/run-job.ts';
import type { JobParts } from '../../../src/bot/job/job-parts.ts';
import type { AnswerIntake, Place } from '../../../src/bot/job/services.ts';
import { sessionIdOf } from '../../../src/bot/session/session-id.ts';
import { mergeConfig } from '../../../src/config/merge-config.ts';
import type { ConfigFile } from '../../../src/config/config-file.ts';
import { startGitHub } from '../../../src/demo/github/start-github.ts';
import type { GitHubServer } from '../../../src/demo/github/start-github.ts';
import type { Comment } from '../../../src/demo/github/records.ts';
import { readRepository } from '../../../src/github/repository.ts';
import { agentLoop } from '../../../src/harness/agent/agent-loop.ts';
import { agents } from '../../../src/harness/agent/registry.ts';
import { Context } from '../../../src/harness/kernel/context.ts';
import { llm } from '../../../src/harness/llm/llm-service.ts';
import { sessionStore } from '../../../src/harness/session/session-store.ts';
import type { SessionEvent, SessionEventType, SessionId } from '../../../src/harness/session/types.ts';
import { systemPrompt } from '../../../src/harness/system-prompt/system-prompt.ts';
import { tools } from '../../../src/harness/tools/tools.ts';
import { CommentSurface } from '../../../src/publish/progress/comment-surface.ts';
import { Redactor } from '../../../src/publish/redact.ts';
import type { Turn } from '../../../src/publish/progress/surface.ts';
import { openAccess } from '../../../src/repository-access.ts';
import { approval } from '../../../src/seams/approval/approval.ts';
import { approvalInvariants } from '../../../src/seams/approval/approval-invariants.ts';
import { sandboxPolicyPlugin } from '../../../src/seams/sandbox/sandbox-policy.ts';
import { askUserQuestionTool } from '../../../src/seams/user-interaction/ask-user-question-tool.ts';
import { userInteraction } from '../../../src/seams/user-interaction/user-interaction-service.ts';
import { openMemoryStore } from '../../../src/store/open-store.ts';
import type { Store } from '../../../src/store/open-store.ts';
import type { HumanRequest } from '../../../src/store/records.ts';
import { text, tool } from '../../harness/agent/agent-bench.ts';
import { MemoryBash } from '../../support/memory-bash.ts';
import { ScriptedModel } from '../../support/scripted-model.ts';
import type { ScriptedReply } from '../../support/scripted-model.ts';

const REPO = { owner: 'acme', repo: 'shop' };
export const NAME = 'acme/shop';
const ASKING: ConfigFile = { approval: { rules: [{ tool: 'act', then: 'ask' }] }, selfReview: { rounds: 0 } };

export interface Call {
  readonly issue: number;
  readonly script: readonly ScriptedReply[];
  readonly job?: 'ask' | 'fix';
  readonly config?: ConfigFile;
  /** Whose comment it is. */
  readonly words?: string;
  readonly asking?: JobRequest['asking'];
}

/** What processes share. */
export interface Shared {
  readonly store: Store;
  readonly log: unknown[];
  readonly ran: unknown[];
  readonly now: () => Date;
  access(redactor?: Redactor): RepositoryAccess;
}

/** Processes that share a store and the test GitHub, with rooms in memory: jobs whose tool `act` needs a person's yes. */
export class PeopleBench implements Shared {
  readonly github: GitHubServer;
  readonly store = openMemoryStore(() => this.now());
  readonly log: unknown[] = [];
  /** Calls of `act` that ran, in whatever process. */
  readonly ran: unknown[] = [];
  /** Added to the clock of every process, in milliseconds. */
  later = 0;
  readonly #dataDir = mkdtempSync(join(tmpdir(), 'dsh-people-'));
  #asked = 0;

  static async start(): Promise<PeopleBench> {
    const github = await startGitHub();
    await github.addRepository({ owner: 'acme', name: 'shop', files: { 'README.md': 'shop\n' } });
    for (const [login, role] of [
      ['maria', 'write'],
      ['otto', 'admin'],
      ['rita', 'read'],
    ] as const)
      github.addCollaborator(NAME, login, role);
    return new PeopleBench(github);
  }

  private constructor(github: GitHubServer) {
    this.github = github;
  }

  readonly now = (): Date => new Date(Date.now() + this.later);

  get requests() {
    return this.store.records.requests;
  }

  async openIssue(): Promise<number> {
    return (await this.github.openIssue(NAME, { by: 'tom', title: 'It is broken', body: 'See above.' })).number;
  }

  process(): Process {
    return new Process(this, this.#dataDir);
  }

  get endpoint(): Endpoint {
    const { apiUrl, app } = this.github;
    return { apiUrl, auth: this.github.createToken({ installation: 'acme' }), ownLogin: app.botLogin };
  }

  access(redactor = new Redactor()): RepositoryAccess {
    return accessAt(this.endpoint, redactor);
  }

  turn(call: Call): Promise<Turn> {
    return turnOf(call, `comment-${(this.#asked += 1)}`, this.access());
  }

  events(session: SessionId): Promise<readonly SessionEvent[]> {
    return eventsIn(this.store, session);
  }

  async ofType<T extends SessionEventType>(session: SessionId, type: T): Promise<SessionEvent<T>['data'][]> {
    return (await this.events(session)).flatMap((event) =>
      event.type === type ? [event.data as SessionEvent<T>['data']] : [],
    );
  }

  comments(issue: number): Comment[] {
    return this.github.state.findRepository(NAME)!.issues.get(issue)!.comments;
  }

  /** The open request of an issue's session, as soon as its comment is there. */
  async asked(session: SessionId): Promise<HumanRequest> {
    for (let waited = 0; waited < 5_000; waited += 5) {
      const [open] = await this.requests.openOf(session);
      if (open?.commentId !== undefined) return open;
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    throw new Error(`nothing was asked: ${this.log.map(String).join('; ')}`);
  }

  bodyOf({ commentId }: HumanRequest, issue: number): string {
    return this.comments(issue).find(({ id }) => id === commentId)?.body ?? '';
  }

  async close(): Promise<void> {
    await this.github.close();
    await this.store.close();
    rmSync(this.#dataDir, { recursive: true, force: true });
  }
}

export interface Endpoint {
  readonly apiUrl: string;
  readonly auth: string;
  readonly ownLogin: string;
}

export function accessAt(endpoint: Endpoint, redactor = new Redactor()): RepositoryAccess {
  return openAccess({ ...endpoint, userAgent: 'test', self: {}, repo: REPO, redactor });
}

async function eventsIn({ sessions }: Store, session: SessionId): Promise<readonly SessionEvent[]> {
  return (await sessions.has(session)) ? (await sessions.inspect(session)).events : [];
}

export async function turnOf(
  { issue, job = 'ask', words = 'What is it?' }: Call,
  cause: string,
  access: RepositoryAccess,
): Promise<Turn> {
  const { id, isPrivate, defaultBranch } = await readRepository(access.github, REPO);
  return {
    ...{ kind: 'turn', job, request: words, permission: 'write' },
    reading: {
      kind: 'command',
      command: { kind: 'command', name: job, flags: {}, text: words },
      ...{ comment: undefined, byAuthor: true, nth: 0, cause, delivery: `d-${cause}` },
      repo: { id, ...REPO, private: isPrivate, defaultBranch },
      subject: { kind: 'issue', number: issue },
      actor: { id: 5, login: 'maria', association: 'MEMBER' },
    },
  };
}

export interface Answering {
  readonly by?: string;
  readonly isBot?: boolean;
  readonly value: AnswerIntake['value'];
  readonly how?: AnswerIntake['how'];
  readonly permission?: AnswerIntake['permission'];
  /** False where an edited comment may hold somebody else's words. */
  readonly byAuthor?: boolean;
}

/** One process: its own turns in memory, and nothing else. */
export class Process {
  readonly live: LiveTurns;
  readonly winding = new AbortController();
  readonly #bench: Shared;
  readonly #dataDir: string;
  readonly #redactor = new Redactor();
  readonly access: RepositoryAccess;
  readonly people: PeopleService;

  constructor(bench: Shared, dataDir: string, live = new LiveTurns()) {
    this.live = live;
    this.#bench = bench;
    this.#dataDir = dataDir;
    this.access = bench.access(this.#redactor);
    const log = (message: string, error?: unknown) => void bench.log.push(message, error);
    this.people = new PeopleService({
      ...{ requests: bench.store.records.requests, live: this.live, now: bench.now, redactor: this.#redactor, log },
      redact: (raw) => this.#redactor.redact(raw),
      logOf: (session) => eventsIn(bench.store, session),
    });
  }

  get surface(): CommentSurface {
    const { github, repo, ownLogin } = this.access;
    const log = (message: string, error: unknown) => void this.#bench.log.push(message, error);
    return new CommentSurface({ github, repo, ownLogin, everyMs: 5, redact: (raw) => raw, log });
  }

  /** Begins a job; gives its session at once. */
  async start(call: Call): Promise<{ session: SessionId; turn: Turn; outcome: Promise<JobOutcome> }> {
    const turn = await turnOf(call, `comment-${call.issue}`, this.access);
    const session = sessionIdOf(turn.reading);
    return { session, turn, outcome: this.run(turn, call) };
  }

  run(turn: Turn, call: Call, opening?: JobRequest['opening'], parts: Partial<JobParts> = {}): Promise<JobOutcome> {
    const { script, config = {}, asking } = call;
    const request: JobRequest = {
      ...{ turn, session: sessionIdOf(turn.reading), access: this.access, surface: this.surface },
      ...{ config: mergeConfig(ASKING, config), signal: new AbortController().signal, problem: undefined },
      ...{ opening, asking },
    };
    return runJob(request, { ...this.#parts(script), ...parts });
  }

  settle(request: HumanRequest, answering: Answering) {
    const { by = 'maria', isBot, value, how = 'command', permission = 'write', byAuthor = true } = answering;
    const { turn } = request.job as unknown as { turn: Turn };
    const actor = { id: by === 'maria' ? 5 : 6, login: by, association: 'NONE', ...(isBot && { isBot }) };
    const reading = { ...turn.reading, actor, byAuthor } as AnswerIntake['reading'];
    const intake: AnswerIntake = {
      ...{ kind: 'answer', session: request.session, request: request.id, value, how, permission, reading },
    };
    return this.people.settle(intake, this.place(request.repo));
  }

  place(repository: number, config: ConfigFile = {}): Place {
    const layers = { operator: {}, repository: {}, inputs: {} };
    return {
      ...{ access: this.access, repository, layers, surface: this.surface, config: mergeConfig(ASKING, config) },
      signal: new AbortController().signal,
    };
  }

  #parts(script: readonly ScriptedReply[]): JobParts {
    const { store, now, log } = this.#bench;
    return {
      dataDir: this.#dataDir,
      records: store.records,
      ...{ live: this.live, winding: this.winding.signal, redactor: this.#redactor, now },
      logOf: (session) => eventsIn(store, session),
      endSandboxesOf: async () => {},
      log: (message, error) => void log.push(message, error),
      targetOf: () => ({ provider: 'deepseek', model: 'deepseek-flash' }),
      checkSandbox: async () => {},
      setUpTree: async () => undefined,
      openRoom: (options) => this.openRoom(options, script),
    };
  }

  openRoom(options: RoomOptions, script: readonly ScriptedReply[]): Promise<Room> {
    return openRoom(options, new ScriptedModel(script), this.#bench);
  }
}

async function openRoom(options: RoomOptions, model: ScriptedModel, b: Shared): Promise<Room> {
  const { session, mode, target, signal, setUp, checkout, approvalPolicy } = options;
  const root = new Context();
  root.on('kernel/error', (error) => void b.log.push(error));
  for (const plugin of [llm, agents]) await root.plugin(plugin);
  await root.plugin(sessionStore);
  await root.plugin(b.store.persistence(), undefined);
  await root.plugin(systemPrompt);
  await root.plugin(tools);
  root.llm.registerAdapter([target.provider], model);
  await root.plugin(sandboxPolicyPlugin, { mode, workspaceRoot: '/workspace', canonicalize: (path) => path });
  const commands = { 'git --version': {}, [END_PROCESSES]: {}, [layBaseCommand(checkout.headSha, '/workspace')]: {} };
  root.provide('bash', new MemoryBash(commands, { mode: 'workspace-write' }));
  await root.plugin(agentLoop);
  await root.plugin(approvalInvariants);
  await root.plugin(approval, { policy: approvalPolicy });
  await root.plugin(userInteraction);
  await root.plugin(askUserQuestionTool, undefined);
  root.tools.register(
    tool('act', async (args) => {
      b.ran.push(args);
      if (mode !== 'read-only') await writeFile(join(checkout.workTree, 'acted.txt'), 'acted\n');
      return text('acted');
    }),
  );
  root.tools.register(
    tool('change', async () => {
      await writeFile(join(checkout.workTree, 'changed.txt'), 'changed\n');
      return text('changed');
    }),
  );
  const shared = { agentOptions: { ...target }, signal, setup: (agentCtx: Context) => setUp(agentCtx, root) };
  const handle = (await root.persistence.has(session))
    ? await root.agents.resume({ resumeSessionId: session, ...shared })
    : await root.agents.create({ sessionId: session, meta: { cwd: '/workspace' }, ...shared });
  return { ctx: root, handle, close: async () => void (await handle.dispose(), await root.fiber.dispose()) };
}
