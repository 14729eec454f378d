import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startGitHub } from '../../src/demo/github/start-github.ts';
import type { GitHubServer } from '../../src/demo/github/start-github.ts';
import { calls } from '../../src/demo/model/reply.ts';
import type { Script } from '../../src/demo/model/reply.ts';
import { startModelServer } from '../../src/demo/model/start-model-server.ts';
import { containersOf } from '../e2e/support/leftovers.ts';
import { MEND, run, SMALL_FILES, SMALL_ISSUE, submit } from '../e2e/support/small-repository.ts';
import { COMPILE_CACHE } from '../support/compile-cache.ts';
import type { Fault } from './fault-points.ts';

const REPO = 'acme/shop';
const KEY = 'sk-chaos-0123456789';
const LEASE_MS = 1_500;

/** A worker process; its end is awaited by `gone`. */
export interface Worker {
  readonly child: ChildProcess;
  readonly url: string;
  readonly gone: Promise<void>;
}

/** One GitHub with one issue, a model that looks before it acts, and a folder: what workers share and outlive. */
export class World {
  readonly github: GitHubServer;
  readonly root: string;
  readonly #model: Awaited<ReturnType<typeof startModelServer>>;
  readonly #more: Record<string, string>;
  readonly #workers: Worker[] = [];
  readonly #port: number;
  errors = '';

  /** `more` goes into the workers' environment; `onRequest` is awaited before the model answers. */
  static async open(
    more: Record<string, string> = {},
    onRequest: (nth: number) => Promise<unknown> | undefined = () => undefined,
  ): Promise<World> {
    const root = await mkdtemp(join(tmpdir(), 'dsh-chaos-'));
    await mkdir(join(root, 'tmp'));
    const github = await startGitHub();
    await github.addRepository({ owner: 'acme', name: 'shop', files: { ...SMALL_FILES } });
    github.addCollaborator(REPO, 'maria', 'write');
    await github.openIssue(REPO, { by: 'tom', ...SMALL_ISSUE });
    const script: Script = async (request, index) => {
      await onRequest(index + 1);
      return LOOKS_FIRST(request, index);
    };
    const model = await startModelServer({ script, apiKey: KEY });
    return new World({ github, model, root, more, port: await freePort() });
  }

  private constructor(parts: {
    github: GitHubServer;
    model: Awaited<ReturnType<typeof startModelServer>>;
    root: string;
    more: Record<string, string>;
    port: number;
  }) {
    this.github = parts.github;
    this.root = parts.root;
    this.#model = parts.model;
    this.#more = parts.more;
    this.#port = parts.port;
  }

  /** Listens where the one before did, unless a `port` is given. */
  async start(fault?: Fault, { record, port = this.#port }: { record?: string; port?: number } = {}): Promise<Worker> {
    const child = fork(join(import.meta.dirname, 'worker.ts'), {
      env: { ...COMPILE_CACHE, ...this.#variables(port, fault, record) },
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
      execArgv: ['--no-warnings'],
    });
    child.stderr!.setEncoding('utf8').on('data', (text: string) => (this.errors += text));
    const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()));
    const told = new Promise<string>((resolve) =>
      child.once('message', (message) => resolve((message as { url: string }).url)),
    );
    const url = await Promise.race([told, gone.then(() => '')]);
    const worker = { child, url, gone };
    this.#workers.push(worker);
    return worker;
  }

  /** Maria asks for the fix; GitHub delivers to this worker. */
  async ask(worker: Worker): Promise<void> {
    this.github.setWebhookTarget(worker.url);
    await this.github.comment(REPO, 1, { by: 'maria', body: '/dsh fix' });
    await this.github.settled();
    // A machine that is busy may not answer in time; GitHub would be asked again within the hour (H4).
    const delivery = this.github.deliveries.at(-1)!;
    if (worker.child.connected && delivery.statusCode !== 202) this.github.redeliver(delivery);
  }

  /** The last event, signed and sent by hand. */
  async post({ url }: Worker): Promise<Response> {
    const { guid, event, payload } = this.github.deliveries.at(-1)!;
    const body = JSON.stringify(payload);
    const signature = createHmac('sha256', this.github.app.webhookSecret).update(body).digest('hex');
    const headers = {
      'x-github-event': event,
      'x-github-delivery': guid,
      'x-hub-signature-256': `sha256=${signature}`,
    };
    return fetch(url, { method: 'POST', body, headers });
  }

  /** Until nothing is left to do, also of what came of it; or until the worker is gone. */
  async finish(worker: Worker): Promise<void> {
    for (let seen = -1; seen !== this.github.deliveries.length && worker.child.connected;) {
      seen = this.github.deliveries.length;
      await this.github.settled();
      await finish(worker.child, worker.gone);
    }
  }

  /** What anyone sees on GitHub, apart from ids, times and the figures of the progress comment. */
  async finalState(): Promise<unknown> {
    const repository = this.github.state.findRepository(REPO)!;
    const git = (...args: string[]) => this.github.state.git(repository).text(args);
    const branches = (await git('for-each-ref', '--format=%(refname:short) %(objectname)', 'refs/heads/'))
      .trim()
      .split('\n');
    const commits = await Promise.all(
      branches.map(async (line) => {
        const [name, sha] = line.split(' ') as [string, string];
        return { name, commit: await git('show', '-s', '--format=%T%n%P%n%an%n%B', sha) };
      }),
    );
    const masked = (text: string | null) =>
      text
        ?.replaceAll(/<sub>.*<\/sub>/g, '<sub>figures</sub>')
        .replaceAll(String(repository.id), 'REPO')
        .replaceAll(this.github.url, 'GITHUB')
        .replaceAll(/\b[0-9a-f]{10,40}\b/g, 'SHA')
        .replaceAll(/comment-\d+/g, 'comment-N');
    const checks = [...repository.checkRuns.values()].map(({ name, status, conclusion, output }) => ({
      ...{ name, status, conclusion, title: output?.title },
    }));
    return {
      checks,
      commits: commits.map(({ name, commit }) => ({ name, commit: commit.replace(/\n[0-9a-f]{40}\n/, '\nPARENT\n') })),
      issues: [...repository.issues.values()].map(
        ({ number, title, body, state, pull, labels, reactions, comments }) => ({
          ...{ number, title, state, labels: labels.map(({ name }) => name), reactions: reactions.map(reaction) },
          body: masked(body),
          pull: pull && { head: pull.head.ref, base: pull.base.ref, draft: pull.draft },
          comments: comments.map((comment) => ({
            author: comment.author.login,
            body: masked(comment.body),
            reactions: comment.reactions.map(reaction),
          })),
        }),
      ),
    };
  }

  /** Containers and work trees that nobody took away. */
  async left(): Promise<string[]> {
    const trees = await readdir(join(this.root, 'data/sessions')).catch(() => []);
    return [...(await containersOf(this.root)), ...trees];
  }

  async close(): Promise<void> {
    for (const { child, gone } of this.#workers) {
      child.kill('SIGKILL');
      await gone;
    }
    await this.#model.close();
    await this.github.close();
    await rm(this.root, { recursive: true, force: true });
  }

  #variables(port: number, fault: Fault | undefined, record: string | undefined): NodeJS.ProcessEnv {
    const { app, apiUrl, url } = this.github;
    return {
      PATH: process.env.PATH,
      DOCKER_HOST: process.env.DOCKER_HOST,
      DSH_SANDBOX_IMAGE: process.env.DSH_SANDBOX_IMAGE,
      GITHUB_API_URL: apiUrl,
      GITHUB_SERVER_URL: url,
      APP_ID: String(app.id),
      WEBHOOK_SECRET: app.webhookSecret,
      PRIVATE_KEY: app.privateKey,
      PORT: String(port),
      HOME: this.root,
      TMPDIR: join(this.root, 'tmp'),
      DSH_DATA_DIR: join(this.root, 'data'),
      DSH_MODEL: 'deepseek/deepseek-flash',
      DSH_MODEL_BASE_URL: this.#model.baseUrl,
      DEEPSEEK_API_KEY: KEY,
      CHAOS_LEASE_MS: String(LEASE_MS),
      ...(fault && { CHAOS_FAULT: JSON.stringify(fault) }),
      ...(record && { CHAOS_RECORD: record }),
      ...this.#more,
    };
  }
}

async function finish(child: ChildProcess, gone: Promise<void>): Promise<void> {
  if (!child.connected) return gone;
  const finished = new Promise<void>((resolve) => {
    child.on('message', (message) => {
      if (message === 'finished') resolve();
    });
  });
  child.send('finish', () => {});
  await Promise.race([finished, gone]);
}

const reaction = ({ user, content }: { user: { login: string }; content: string }) => `${user.login} ${content}`;

const LOOK = run('cat greet.txt');

/** Looks at the file, mends it if it must, looks again, and hands in: whatever was lost, it does what is left. */
const LOOKS_FIRST: Script = ({ messages }) => {
  const last = messages.at(-1)!;
  if (last.role !== 'tool') return LOOK;
  if (/hello world/.test(last.content)) return submit();
  if (/helo world/.test(last.content)) return MEND;
  return /submit_result|accepted|recorded/i.test(last.content)
    ? calls('bash', { command: 'true', description: 'Wait' })
    : LOOK;
};

export async function readPoints(path: string): Promise<string[]> {
  return (await readFile(path, 'utf8')).trim().split('\n');
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
