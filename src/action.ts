import { readFile } from 'node:fs/promises';
import * as core from '@actions/core';
import { CommentSurface } from './publish/progress/comment-surface.ts';
import { Redactor } from './publish/redact.ts';
import type { Surface } from './publish/progress/surface.ts';
import { wasToldBefore } from './publish/progress/was-told-before.ts';
import { readActionInputs } from './config/action-inputs.ts';
import type { ActionInputs } from './config/action-inputs.ts';
import { readConfigFile } from './config/read-config-file.ts';
import { secretsOf } from './config/secrets-of.ts';
import { readIdentity } from './cli/identity.ts';
import { openHost } from './cli/open-host.ts';
import type { OpenHost } from './cli/open-host.ts';
import { printable, printableWithout } from './cli/printable.ts';
import { TerminalSurface } from './cli/terminal-surface.ts';
import { DshError } from './errors.ts';
import { handleEvent } from './handle-event.ts';
import type { Handled, Host } from './handle-event.ts';
import { problemOf } from './bot/telling/problem.ts';
import { openAccess } from './repository-access.ts';
import { inertForRunner } from './action/inert-for-runner.ts';
import { actionOutputs, worstOf } from './action/outputs.ts';
import { whilePolling } from './action/while-polling.ts';
import { actionSummary } from './action/summary.ts';
import { PAYLOADS } from './triggers/payload.ts';
import type { GitHubEvent } from './triggers/reading.ts';
import { writeSarif } from './cli/write-sarif.ts';

type Variables = Readonly<Record<string, string | undefined>>;

/** The comments of an Actions token are written by this user. */
const ACTIONS_LOGIN = 'github-actions[bot]';

/** One run of the Action: the workflow's event goes the way every event goes. Returns the exit code: 1 for `failed`, else 0. */
export async function runAction(variables: Variables): Promise<number> {
  const handled = await runGuarded(variables);
  const worst = worstOf(handled);
  const sarifFile = await writeActionSarif(handled, variables);
  for (const [name, value] of Object.entries(actionOutputs(handled, sarifFile))) core.setOutput(name, value);
  if (variables.GITHUB_STEP_SUMMARY) await core.summary.addRaw(actionSummary(handled)).write();
  const problem = worst.outcome?.problem ?? worst.problem;
  if (worst.status === 'failed')
    core.error(problem ? printable(`${problem.message}\n${problem.hint ?? ''}`.trim()) : 'dsh failed');
  return worst.status === 'failed' ? 1 : 0;
}

/** The file that the input names, where a review was made; else empty, so that a later step can tell. */
async function writeActionSarif(handled: readonly Handled[], variables: Variables): Promise<string> {
  const file = variables['INPUT_SARIF-FILE']?.trim() ?? '';
  if (file === '') return '';
  const outcomes = handled.map(({ outcome }) => outcome);
  return (await writeSarif(outcomes, file, readIdentity().version)) ? file : '';
}

/** The one place of this host that catches. */
async function runGuarded(variables: Variables): Promise<Handled[]> {
  try {
    return await run(variables);
  } catch (error) {
    return [{ status: 'failed', problem: new Redactor(secretsOf(variables)).redactAll(problemOf(error)) }];
  }
}

async function run(variables: Variables): Promise<Handled[]> {
  const inputs = readActionInputs(variables);
  for (const secret of [inputs.githubToken, inputs.apiKey]) if (secret) core.setSecret(secret);
  const environment = { ...variables, ...inputs.environment };
  const event = await readEvent(variables);
  if (isWithoutSecrets(event, inputs)) return [{ status: 'ignored', why: NO_SECRETS }];
  const redactor = new Redactor(secretsOf(variables));
  const log = (message: string, error?: unknown) =>
    tell(`${message}${error === undefined ? '' : `: ${problemOf(error).message}`}`, redactor);
  const host = await openHost(environment, log, inputs.apiKey);
  try {
    const signal = interruption();
    return await handleEvent(event, actionHost(host, inputs, signal));
  } finally {
    await host.bot.close();
  }
}

function actionHost(host: OpenHost, inputs: ActionInputs, signal: AbortSignal): Host {
  const { env, bot, userAgent } = host;
  const self = { botLogin: ACTIONS_LOGIN };
  const auth = inputs.githubToken;
  if (!auth)
    throw new DshError(
      'The input github-token is empty.',
      'GITHUB_NOT_CONFIGURED',
      'Leave it out to use the token of the workflow.',
    );
  bot.redactor.add(auth);
  return {
    self,
    operator: { ...host.operator, ...(inputs.config ? readConfigFile(inputs.config, 'the input config') : {}) },
    inputs: inputs.settings,
    signal,
    openRepository: async ({ repo }) =>
      openAccess({
        auth,
        apiUrl: env.GITHUB_API_URL,
        userAgent,
        self,
        ownLogin: ACTIONS_LOGIN,
        repo,
        redactor: bot.redactor,
        ...(inputs.dryRun && { dryRun: (write) => tell(`would ${write.method} ${write.url}`, bot.redactor) }),
      }),
    surfaceFor: ({ github, repo }, config): Surface =>
      inputs.dryRun
        ? new TerminalSurface((line) => tell(line, bot.redactor))
        : new CommentSurface({
            github,
            repo,
            ownLogin: ACTIONS_LOGIN,
            everyMs: config.progress.everyMs,
            language: config.language,
            redact: (text) => bot.redactor.redact(text),
            log: (message) => tell(message, bot.redactor),
          }),
    runJob: (request) =>
      whilePolling(
        request,
        () => actionHost(host, inputs, signal),
        () => bot.runJob(request),
      ),
    causeTaken: async (session, reading, access) =>
      (await bot.causeTaken(reading.repo.id, reading.cause, reading.delivery)) ||
      wasToldBefore(reading, { session, ...access }, signal),
    readers: bot.readers,
    services: bot.services,
  };
}

/** Into the log of the workflow, which the runner reads, too. */
function tell(text: string, redactor: Redactor): void {
  core.info(inertForRunner(printableWithout(text, (raw) => redactor.redact(raw))));
}

/** What woke the workflow. Throws `USAGE` outside of a runner, and for a file that holds no event. */
async function readEvent({
  GITHUB_EVENT_NAME: name,
  GITHUB_EVENT_PATH: path,
  GITHUB_RUN_ID,
  GITHUB_RUN_ATTEMPT,
}: Variables): Promise<GitHubEvent> {
  if (!name || !path) {
    const hint = 'Use it as a step of a workflow, or write `dsh fix <issue URL>` in a terminal.';
    throw new DshError('GITHUB_EVENT_NAME and GITHUB_EVENT_PATH are not set, so this is no Action run.', 'USAGE', hint);
  }
  const payload = await readPayload(path);
  return { name, delivery: `run-${GITHUB_RUN_ID ?? '0'}-${GITHUB_RUN_ATTEMPT ?? '1'}`, payload };
}

async function readPayload(path: string): Promise<GitHubEvent['payload']> {
  let cause: unknown;
  try {
    const payload: unknown = JSON.parse(await readFile(path, 'utf8'));
    if (typeof payload === 'object' && payload !== null) return payload as GitHubEvent['payload'];
  } catch (error) {
    cause = error;
  }
  const hint = 'It names the file of the event, as the runner writes it; leave it as it is in the workflow.';
  throw new DshError(`GITHUB_EVENT_PATH names ${path}, which holds no event.`, 'USAGE', hint, { cause });
}

const NO_SECRETS =
  'GitHub gives no secrets to a pull request from a fork, so there is no model key. Use the event `pull_request_target`: code of the pull request only ever runs in the sandbox';

/** A pull request from a fork under `pull_request`: nothing is wrong, there just is no key (H10). */
function isWithoutSecrets({ name, payload }: GitHubEvent, { apiKey }: ActionInputs): boolean {
  if (apiKey !== undefined || name !== 'pull_request') return false;
  const parsed = PAYLOADS.pull_request.safeParse(payload);
  return parsed.success && parsed.data.pull_request.head.repo?.id !== parsed.data.repository.id;
}

/** The runner cancels by SIGINT, and by SIGTERM 7.5 seconds later. */
function interruption(): AbortSignal {
  const controller = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => controller.abort());
  return controller.signal;
}
