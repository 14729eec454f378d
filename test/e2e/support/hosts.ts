import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { serveApp } from '../../../src/app.ts';
import { readIdentity } from '../../../src/cli/identity.ts';
import type { ConfigFile } from '../../../src/config/config-file.ts';
import { readEnv } from '../../../src/config/env.ts';
import { createBot } from '../../../src/create-bot.ts';
import type { BotOptions } from '../../../src/create-bot.ts';
import type { Handled } from '../../../src/handle-event.ts';
import type { Plugin } from '../../../src/harness/kernel/context.ts';
import { readOutputs } from './read-outputs.ts';
import { runDsh } from './run-dsh.ts';
import type { DshRun } from './run-dsh.ts';
import { commonVariables } from './stage.ts';
import type { Stage, Variables } from './stage.ts';

export interface AppRun {
  /** What became of the events that were not ignored. */
  readonly handled: readonly Handled[];
  readonly ignored: readonly (string | undefined)[];
  /** What the operator read. */
  readonly log: string;
}

/** Serves the app while `act` makes things happen on GitHub, until all of it has been worked. */
export async function viaApp(
  stage: Stage,
  act: () => Promise<unknown>,
  changed: Variables = {},
  plugins: readonly Plugin<void>[] = [],
  added: Pick<BotOptions, 'adapters' | 'readers' | 'now'> = {},
  operator: ConfigFile = {},
): Promise<AppRun> {
  const { github } = stage;
  const lines: string[] = [];
  const log = (message: string, error?: unknown) =>
    void lines.push(`${message} ${error === undefined ? '' : String((error as Error).stack ?? error)}`);
  const env = readEnv({
    ...commonVariables(stage),
    APP_ID: String(github.app.id),
    WEBHOOK_SECRET: github.app.webhookSecret,
    PRIVATE_KEY: github.app.privateKey,
    PORT: '0',
    ...changed,
  });
  const bot = createBot({ env, identity: readIdentity(), log, plugins, ...added });
  const all: Handled[] = [];
  const onHandled = (_event: unknown, handled: readonly Handled[]) => void all.push(...handled);
  const app = await serveApp({
    env,
    bot,
    operator,
    privateKey: github.app.privateKey,
    userAgent: 'dsh-e2e',
    log,
    onHandled,
  });
  try {
    github.setWebhookTarget(app.url);
    await act();
    for (let seen = -1; seen !== github.deliveries.length;) {
      seen = github.deliveries.length;
      await github.settled();
      await app.whenIdle();
    }
  } finally {
    github.setWebhookTarget(undefined);
    await app.close();
    await bot.close();
  }
  const isIgnored = ({ status }: Handled) => status === 'ignored';
  return {
    handled: all.filter((one) => !isIgnored(one)),
    ignored: all.filter(isIgnored).map(({ why }) => why),
    log: lines.join('\n'),
  };
}

export interface ActionRun extends DshRun {
  readonly outputs: Readonly<Record<string, string>>;
  readonly summary: string;
}

export interface WantedEvent {
  readonly repo: string;
  readonly name: string;
  readonly action: string;
  readonly by: string;
}

/** One run of the Action for the latest such event, with the variables and files of a runner. */
export async function viaAction(
  stage: Stage,
  event: WantedEvent,
  changed: Variables = {},
  stop?: { readonly signal: AbortSignal; readonly by: NodeJS.Signals },
): Promise<ActionRun> {
  const { github, root, dataDir, modelKey, model } = stage;
  const [outputFile, summaryFile, eventFile] = ['output', 'summary', 'event.json'].map((name) =>
    join(root, 'run', name),
  ) as [string, string, string];
  await Promise.all([outputFile, summaryFile].map((file) => writeFile(file, '')));
  await writeFile(eventFile, JSON.stringify(payloadOf(stage, event)));
  const runId = Number(changed.GITHUB_RUN_ID ?? github.state.nextId());
  const variables = {
    ...commonVariables(stage),
    DEEPSEEK_API_KEY: undefined,
    DSH_MODEL: undefined,
    DSH_MODEL_BASE_URL: undefined,
    DSH_DATA_DIR: dataDir,
    GITHUB_ACTIONS: 'true',
    GITHUB_REPOSITORY: event.repo,
    GITHUB_EVENT_NAME: event.name,
    GITHUB_EVENT_PATH: eventFile,
    GITHUB_OUTPUT: outputFile,
    GITHUB_STEP_SUMMARY: summaryFile,
    GITHUB_RUN_ID: String(runId),
    GITHUB_RUN_ATTEMPT: '1',
    ACTIONS_RESULTS_URL: `${github.url}/`,
    ACTIONS_RUNTIME_TOKEN: github.createRuntimeToken(event.repo, runId),
    RUNNER_TEMP: join(root, 'run'),
    'INPUT_GITHUB-TOKEN': github.createToken({ actions: event.repo }),
    'INPUT_API-KEY': modelKey,
    INPUT_MODEL: 'deepseek/deepseek-flash',
    'INPUT_MODEL-BASE-URL': model.baseUrl,
    ...changed,
  };
  const run = await runDsh(['action'], variables, stop?.signal, stop?.by);
  return {
    ...run,
    outputs: readOutputs(await readFile(outputFile, 'utf8')),
    summary: await readFile(summaryFile, 'utf8'),
  };
}

function payloadOf({ github }: Stage, { repo, name, action, by }: WantedEvent): unknown {
  const found = github.events.findLast((event) => {
    const { sender, repository } = event.payload as { sender: { login: string }; repository: { full_name: string } };
    return event.name === name && event.action === action && repository.full_name === repo && sender.login === by;
  });
  if (!found) throw new Error(`there was no ${name} ${action} by ${by} in ${repo}`);
  return found.payload;
}

export interface CliRun extends DshRun {
  /** The one document on stdout. */
  readonly json: unknown;
}

/** A command in maria's terminal, with `--json`. */
export async function viaCli(
  stage: Stage,
  args: readonly string[],
  changed: Variables = {},
  stop?: { readonly signal: AbortSignal; readonly by: NodeJS.Signals },
): Promise<CliRun> {
  const variables = { ...commonVariables(stage), GITHUB_TOKEN: stage.github.createToken('maria'), ...changed };
  const run = await runDsh([...args, '--json'], variables, stop?.signal, stop?.by);
  return { ...run, json: run.stdout === '' ? undefined : (JSON.parse(run.stdout) as unknown) };
}
