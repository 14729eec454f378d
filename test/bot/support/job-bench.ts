import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { END_PROCESSES } from '../../../src/bot/fix/verify/end-processes.ts';
import { layBaseCommand } from '../../../src/bot/fix/verify/lay-base.ts';
import { LiveTurns } from '../../../src/bot/job/live-turns.ts';
import { runJob } from '../../../src/bot/job/run-job.ts';
import type { JobOutcome } from '../../../src/bot/job/job.ts';
import { sessionIdOf } from '../../../src/bot/session/session-id.ts';
import { mergeConfig } from '../../../src/config/merge-config.ts';
import type { ConfigFile } from '../../../src/config/config-file.ts';
import type { GitHubServer } from '../../../src/demo/github/start-github.ts';
import { startGitHub } from '../../../src/demo/github/start-github.ts';
import { readRepository } from '../../../src/github/repository.ts';
import type { Checkout } from '../../../src/github/git/checkout.ts';
import type { GitHubAuth } from '../../../src/github/token-provider.ts';
import type { Agent } from '../../../src/harness/agent/types.ts';
import type { SessionEvent, SessionId } from '../../../src/harness/session/types.ts';
import { WORKSPACE } from '../../../src/room/open-room.ts';
import { Redactor } from '../../../src/publish/redact.ts';
import { openMemoryStore } from '../../../src/store/open-store.ts';
import type { Records } from '../../../src/store/records.ts';
import { openAccess } from '../../../src/repository-access.ts';
import type { JobKind } from '../../../src/triggers/reading.ts';
import type { TurnReading } from '../../../src/triggers/intake.ts';
import type { SubjectRef } from '../../../src/triggers/reading.ts';
import { MemoryBash } from '../../support/memory-bash.ts';
import type { MemoryScript } from '../../support/memory-bash.ts';
import { ScriptedModel } from '../../support/scripted-model.ts';
import type { ScriptedReply } from '../../support/scripted-model.ts';
import { openMemoryRoom } from './memory-room.ts';
import { RecordingSurface } from './recording-surface.ts';

const REPO = { owner: 'acme', repo: 'shop' };
export const NAME = 'acme/shop';

export interface JobCall {
  readonly job: JobKind;
  readonly subject: SubjectRef;
  readonly request?: string;
  /** What the model answers; it may look at the bench and at the checkout. */
  readonly script: readonly ScriptedReply[];
  readonly commands?: Record<string, MemoryScript>;
  readonly config?: ConfigFile;
  readonly secrets?: readonly string[];
  readonly comment?: Extract<TurnReading, { kind: 'command' }>['comment'];
  readonly signal?: AbortSignal;
  /** The command's name; `fix` where it says nothing. */
  readonly command?: string;
  /** The token is this person's, and not the app's. */
  readonly by?: string;
  /** In place of a token that lives as long as the job. */
  readonly auth?: GitHubAuth;
  /** In place of one that answers from the script. */
  readonly model?: ScriptedModel;
  /** Changes what the event said. */
  readonly read?: (reading: TurnReading) => TurnReading;
  /** In place of the bench's own. */
  readonly records?: Records;
  readonly surface?: RecordingSurface;
  /** Nothing is kept between runs. */
  readonly forgetful?: boolean;
  /** Pushes do not wait for those that follow. */
  readonly takesEachPush?: boolean;
  /** Of who asks; `write` where it says nothing. */
  readonly permission?: 'read' | 'write';
  /** A room with skills, which are laid out here, and people to ask where the job may ask any. */
  readonly spillDir?: string;
  /** What the model's file tools find, by absolute path. */
  readonly files?: Record<string, string>;
  /** Nobody is there to be asked. */
  readonly alone?: boolean;
}
export interface JobRun {
  readonly outcome: JobOutcome;
  readonly model: ScriptedModel;
  readonly bash: MemoryBash;
  readonly surface: RecordingSurface;
  readonly events: readonly SessionEvent[];
}

/** Stands in a table of commands for the one that lays the base out, whatever its commit. */
export const LAY_BASE = 'lay out the base';

/** Whole jobs on the test GitHub, with a scripted model and commands from a table. */
export class JobBench {
  readonly github: GitHubServer;
  readonly #dataDir = mkdtempSync(join(tmpdir(), 'dsh-job-'));
  readonly #store = openMemoryStore(() => new Date(0));
  #asked = 0;
  /** Of the job that runs now. */
  checkout: Checkout | undefined;
  /** Of the job that runs now. */
  agent: Agent | undefined;
  /** Work trees of children that have one of their own, by their sessions. */
  readonly childTrees = new Map<SessionId, string>();

  get records() {
    return this.#store.records;
  }

  static async start(files: Record<string, string> = { 'README.md': 'shop\n' }): Promise<JobBench> {
    const github = await startGitHub();
    await github.addRepository({ owner: 'acme', name: 'shop', files });
    github.addCollaborator(NAME, 'maria', 'write');
    return new JobBench(github);
  }

  private constructor(github: GitHubServer) {
    this.github = github;
  }

  async run(call: JobCall): Promise<JobRun> {
    const { job, subject, request = 'Fix this issue.', script, commands, config = {}, secrets = [], signal } = call;
    const redactor = new Redactor(secrets);
    const model = call.model ?? new ScriptedModel(script);
    const scripts: Record<string, MemoryScript> = { 'git --version': {}, [END_PROCESSES]: {}, ...commands };
    const bash = new MemoryBash(scripts, { mode: 'workspace-write' });
    const { surface = new RecordingSurface() } = call;
    const access = this.#access(redactor, call.by, call.auth);
    const { read = (same) => same } = call;
    const reading = read(await this.#reading(subject, request, call));
    let events: readonly SessionEvent[] = [];
    const outcome = await runJob(
      {
        turn: { kind: 'turn', job, request, permission: call.permission ?? 'write', reading },
        session: sessionIdOf(reading),
        access,
        config: mergeConfig({ selfReview: { rounds: 0 } }, config),
        surface,
        signal: signal ?? new AbortController().signal,
        problem: undefined,
        takesEachPush: call.takesEachPush,
      },
      {
        dataDir: this.#dataDir,
        records: call.records ?? this.records,
        live: new LiveTurns(),
        logOf: async () => [],
        endSandboxesOf: async () => {},
        forgetful: call.forgetful,
        redactor,
        now: () => new Date(0),
        log: () => {},
        targetOf: () => ({ provider: 'deepseek', model: 'deepseek-flash' }),
        checkSandbox: async () => {},
        setUpTree: async () => undefined,
        openRoom: async (options) => {
          this.checkout = options.checkout;
          scripts[layBaseCommand(options.checkout.headSha, WORKSPACE)] = commands?.[LAY_BASE] ?? {};
          const asked = call.alone ? { ...options, approvalPolicy: 'never' as const } : options;
          const { spillDir, files } = call;
          const { childTrees } = this;
          const parts = { childTrees, ...(spillDir !== undefined && { spillDir }), ...(files && { files }) };
          const room = await openMemoryRoom(asked, model, bash, parts);
          this.agent = room.handle.agent;
          const { session } = this.agent;
          return { ...room, close: async () => void ((events = session.events), await room.close()) };
        },
      },
    );
    return { outcome, model, bash, surface, events };
  }

  /** As the app has it. */
  access() {
    return this.#access(new Redactor());
  }

  async hasBranch(branch: string): Promise<boolean> {
    const { data } = await this.access().github.rest.git.listMatchingRefs({ ...REPO, ref: `heads/${branch}` });
    return data.some(({ ref }) => ref === `refs/heads/${branch}`);
  }

  async filesOf(pull_number: number): Promise<string[]> {
    const { data } = await this.#access(new Redactor()).github.rest.pulls.listFiles({ ...REPO, pull_number });
    return data.map(({ filename }) => filename);
  }

  async patchOf(pull_number: number): Promise<string> {
    const { data } = await this.#access(new Redactor()).github.rest.pulls.listFiles({ ...REPO, pull_number });
    return data.map(({ patch }) => patch).join('\n');
  }

  async commitMessage(branch: string): Promise<string> {
    const { data } = await this.#access(new Redactor()).github.rest.repos.getCommit({ ...REPO, ref: branch });
    return data.commit.message;
  }

  /** What the model's tools would have done to the work tree. */
  change(path: string, text: string): void {
    const file = join(this.checkout!.workTree, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }

  async close(): Promise<void> {
    await this.github.close();
    await this.#store.close();
    rmSync(this.#dataDir, { recursive: true, force: true });
  }

  #access(redactor: Redactor, user?: string, given?: GitHubAuth) {
    const auth = given ?? this.github.createToken(user ?? { installation: 'acme' });
    const { apiUrl, app } = this.github;
    const ownLogin = user ?? app.botLogin;
    return openAccess({ auth, apiUrl, userAgent: 'test', self: {}, ownLogin, repo: REPO, redactor });
  }

  async #reading(
    subject: SubjectRef,
    text: string,
    { comment, command = 'fix' }: Pick<JobCall, 'comment' | 'command'>,
  ): Promise<TurnReading> {
    const { id, isPrivate, defaultBranch } = await readRepository(this.#access(new Redactor()).github, REPO);
    return {
      kind: 'command',
      command: { kind: 'command', name: command as 'fix', flags: {}, text },
      comment,
      byAuthor: true,
      nth: 0,
      repo: { id, ...REPO, private: isPrivate, defaultBranch },
      subject,
      actor: { id: 5, login: 'maria', association: 'MEMBER' },
      cause: `comment-${(this.#asked += 1)}`,
      delivery: `d${this.#asked}`,
    };
  }
}
