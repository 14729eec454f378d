import { rmSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createGitHub } from '../github/client.ts';
import { serveApp } from '../app.ts';
import type { JobOutcome } from '../bot/job/job.ts';
import { readEnv } from '../config/env.ts';
import type { Env } from '../config/env.ts';
import { createBot } from '../create-bot.ts';
import type { Handled } from '../handle-event.ts';
import { startGitHub } from '../demo/github/start-github.ts';
import type { GitHubServer } from '../demo/github/start-github.ts';
import { scriptByTurn } from '../demo/model/reply.ts';
import { startModelServer } from '../demo/model/start-model-server.ts';
import { DEMO_SCRIPT } from '../demo/story/fix-script.ts';
import { ISSUE, REPOSITORY_FILES } from '../demo/story/repository.ts';
import { DshError } from '../errors.ts';
import { readIdentity } from './identity.ts';
import { printableWithout } from './printable.ts';
import { storyTeller } from './story-teller.ts';

export interface DemoOptions {
  readonly live: boolean;
  readonly say: (line: string) => void;
  readonly variables: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
}
export interface DemoResult {
  readonly passed: boolean;
  readonly outcome: JobOutcome | undefined;
  readonly diff: string;
}

const REPOSITORY = 'acme/tiny-duration';
const MAINTAINER = 'maria';

/** The main job, whole: a comment on an issue becomes a pull request. GitHub and model are on loopback, the sandbox is real. */
export async function runDemo({ live, say, variables, signal }: DemoOptions): Promise<DemoResult> {
  return inTemporaryFolder(async (dataDir) => {
    const github = await startGitHub({ folder: dataDir });
    const model = live ? undefined : await startModelServer({ script: scriptByTurn(DEMO_SCRIPT), apiKey: DEMO_KEY });
    try {
      await github.addRepository({ owner: 'acme', name: 'tiny-duration', files: { ...REPOSITORY_FILES } });
      github.addCollaborator(REPOSITORY, MAINTAINER, 'write');
      const env = demoEnv({ github, dataDir, variables, modelUrl: model?.baseUrl });
      const outcome = await playStory({ github, env, say, signal });
      return await report(github, outcome, say);
    } finally {
      await model?.close();
      await github.close();
    }
  });
}

/** Removed also where the process ends at once, as it does on a second Ctrl-C. */
async function inTemporaryFolder<T>(use: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'dsh-demo-'));
  const removeNow = () => {
    try {
      rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
    } catch {
      // a command in the sandbox writes there still; nobody is left to tell
    }
  };
  process.once('exit', removeNow);
  try {
    return await use(folder);
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
    process.off('exit', removeNow);
  }
}

const DEMO_KEY = 'demo-model-key';

interface EnvParts {
  readonly github: GitHubServer;
  readonly dataDir: string;
  readonly variables: DemoOptions['variables'];
  readonly modelUrl: string | undefined;
}

function demoEnv({ github, dataDir, variables, modelUrl }: EnvParts): Env {
  const { DEEPSEEK_API_KEY, OPENAI_API_KEY, DSH_MODEL, DSH_MODEL_BASE_URL, DOCKER_HOST, DSH_SANDBOX_IMAGE } = variables;
  const key = DEEPSEEK_API_KEY ?? OPENAI_API_KEY;
  if (!modelUrl && !key) {
    throw new DshError('--live needs a model key.', 'MODEL_NOT_CONFIGURED', 'Set DEEPSEEK_API_KEY or OPENAI_API_KEY.');
  }
  const scripted = { DSH_MODEL: 'deepseek/deepseek-flash', DSH_MODEL_BASE_URL: modelUrl, DEEPSEEK_API_KEY: DEMO_KEY };
  const real = { DSH_MODEL, DSH_MODEL_BASE_URL, DEEPSEEK_API_KEY, OPENAI_API_KEY };
  return readEnv({
    APP_ID: String(github.app.id),
    WEBHOOK_SECRET: github.app.webhookSecret,
    GITHUB_API_URL: github.apiUrl,
    GITHUB_SERVER_URL: github.url,
    DSH_DATA_DIR: dataDir,
    DOCKER_HOST,
    DSH_SANDBOX_IMAGE,
    PORT: '0',
    ...(modelUrl ? scripted : real),
  });
}

interface Stage {
  readonly github: GitHubServer;
  readonly env: Env;
  readonly say: (line: string) => void;
  readonly signal: AbortSignal;
}

async function playStory({ github, env, say, signal }: Stage): Promise<JobOutcome | undefined> {
  const identity = readIdentity();
  const log = (message: string, error?: unknown) =>
    say(`! ${message}${error === undefined ? '' : `: ${String(error)}`}`);
  const tell = (line: string): void => say(printableWithout(line, (raw) => bot.redactor.redact(raw)));
  const bot = createBot({ env, identity, log, plugins: [storyTeller(tell)] });
  const done = Promise.withResolvers<readonly Handled[]>();
  const app = await serveApp({
    env,
    bot,
    operator: {},
    privateKey: github.app.privateKey,
    userAgent: `${identity.product}/${identity.version}`,
    log,
    onHandled: (_event, handled) => {
      if (handled.some(({ status }) => status !== 'ignored')) done.resolve(handled);
    },
  });
  // A turn that runs is stopped, and what it came to is told; only without one there is nothing to tell.
  const stop = () => void app.close().then(() => done.resolve([]));
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  try {
    github.setWebhookTarget(app.url);
    const issue = await github.openIssue(REPOSITORY, { by: 'tom', ...ISSUE });
    say(`tom opened ${REPOSITORY}#${issue.number}: ${ISSUE.title}`);
    await github.comment(REPOSITORY, issue.number, { by: MAINTAINER, body: '/dsh fix' });
    say(`${MAINTAINER} commented: /dsh fix`);
    const [handled] = await done.promise;
    return handled?.outcome;
  } finally {
    signal.removeEventListener('abort', stop);
    await app.close();
    await bot.close();
    await github.settled();
  }
}

async function report(
  github: GitHubServer,
  outcome: JobOutcome | undefined,
  say: (line: string) => void,
): Promise<DemoResult> {
  const produced = outcome?.produced;
  if (produced?.kind !== 'pull-request') {
    say(`No pull request: ${outcome?.problem?.message ?? 'the story was interrupted'}`);
    if (outcome?.problem?.hint) say(outcome.problem.hint);
    return { passed: false, outcome, diff: '' };
  }
  const reader = createGitHub({ auth: github.createToken(MAINTAINER), apiUrl: github.apiUrl });
  const [owner = '', repo = ''] = REPOSITORY.split('/');
  const { data } = await reader.rest.pulls.get({
    owner,
    repo,
    pull_number: produced.number,
    mediaType: { format: 'diff' },
  });
  const diff = String(data);
  say(`\nPull request #${produced.number} on ${produced.branch}: ${produced.title}\n\n${diff}`);
  const passed =
    outcome?.status === 'completed' && !produced.draft && outcome.verify.every((run) => run.exitCode === 0);
  return { passed, outcome, diff };
}
