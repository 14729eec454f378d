import { readFile } from 'node:fs/promises';
import * as core from '@actions/core';
import { Redactor } from './publish/redact.ts';
import { readActionInputs } from './config/action-inputs.ts';
import type { ActionInputs } from './config/action-inputs.ts';
import type { ConfigFile } from './config/config-file.ts';
import { mergeConfig } from './config/merge-config.ts';
import { secretsOf } from './config/secrets-of.ts';
import { printable } from './cli/printable.ts';
import { DshError } from './errors.ts';
import type { Handled } from './handle-event.ts';
import { problemOf } from './bot/telling/problem.ts';
import { endsAtOnce } from './action/ends-at-once.ts';
import { ACTIONS_SELF } from './action/identity.ts';
import { actionOutputs, worstOf } from './action/outputs.ts';
import { actionSummary } from './action/summary.ts';
import { PAYLOADS } from './triggers/payload.ts';
import type { GitHubEvent } from './triggers/reading.ts';

type Variables = Readonly<Record<string, string | undefined>>;

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
  const [{ writeSarif }, { readIdentity }] = await Promise.all([
    import('./cli/write-sarif.ts'),
    import('./cli/identity.ts'),
  ]);
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
  const operator = await readOperator(environment, inputs);
  const config = { ...mergeConfig(operator, inputs.settings), self: ACTIONS_SELF };
  const ended = endsAtOnce(event, config);
  if (ended) return ended;
  const { runEvent } = await import('./action/run-event.ts');
  return await runEvent(event, { inputs, environment, operator, redactor: new Redactor(secretsOf(variables)) });
}

/** The settings of the workflow, over those of the file it names. What reads them is imported where there are any. */
async function readOperator(environment: Variables, { config }: ActionInputs): Promise<ConfigFile> {
  const { DSH_CONFIG: file } = environment;
  if (!file && config === undefined) return {};
  const [{ readOperatorFile }, { readConfigFile }, { checkSkillFolders }] = await Promise.all([
    import('./config/read-operator-file.ts'),
    import('./config/read-config-file.ts'),
    import('./config/check-skill-folders.ts'),
  ]);
  const input = config === undefined ? {} : readConfigFile(config, 'the input config');
  await checkSkillFolders(input);
  return { ...(file && (await readOperatorFile(file))), ...input };
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
