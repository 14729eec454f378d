import * as core from '@actions/core';
import { problemOf } from '../bot/telling/problem.ts';
import { openHost } from '../cli/open-host.ts';
import type { OpenHost } from '../cli/open-host.ts';
import { printableWithout } from '../cli/printable.ts';
import { TerminalSurface } from '../cli/terminal-surface.ts';
import type { ActionInputs } from '../config/action-inputs.ts';
import type { ConfigFile } from '../config/config-file.ts';
import { endsWithRun } from '../config/ends-with-run.ts';
import { mergeConfig } from '../config/merge-config.ts';
import { DshError } from '../errors.ts';
import { handleEvent } from '../handle-event.ts';
import type { Handled, Host } from '../handle-event.ts';
import { CommentSurface } from '../publish/progress/comment-surface.ts';
import { makeInert } from '../publish/markdown/inert.ts';
import type { Surface } from '../publish/progress/surface.ts';
import { wasToldBefore } from '../publish/progress/was-told-before.ts';
import type { Redactor } from '../publish/redact.ts';
import { openAccess } from '../repository-access.ts';
import { readEvent } from '../triggers/read-event.ts';
import type { GitHubEvent } from '../triggers/reading.ts';
import { ACTIONS_LOGIN, ACTIONS_SELF } from './identity.ts';
import { inertForRunner } from './inert-for-runner.ts';
import { pollingStart } from './polling-start.ts';
import type { PollingStart } from './polling-start.ts';
import { whyNoSeal } from './state/why-no-seal.ts';
import { whilePolling } from './while-polling.ts';

export interface ActionRun {
  readonly inputs: ActionInputs;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly operator: ConfigFile;
  /** Knows the secrets among the variables. */
  readonly redactor: Redactor;
}

/** An event that somebody may be there for goes the way every event goes. */
export async function runEvent(
  event: GitHubEvent,
  { inputs, environment, operator, redactor }: ActionRun,
): Promise<Handled[]> {
  const log = (message: string, error?: unknown) =>
    tell(`${message}${error === undefined ? '' : `: ${problemOf(error).message}`}`, redactor);
  let isKept = false;
  const signal = interruption();
  const host = await openHost(environment, log, { apiKey: inputs.apiKey, isKept: () => isKept });
  try {
    const isAgain = Number(environment.GITHUB_RUN_ATTEMPT ?? 1) > 1;
    const config = { ...mergeConfig(operator, inputs.settings), self: ACTIONS_SELF };
    // What was said since the first attempt, runs of its own have heard.
    const readings = isAgain ? [] : readEvent(event, config, host.bot.readers);
    const polling = pollingStart(readings, host.bot.services.now());
    const own = actionHost({ ...host, operator, isAgain, polling }, inputs, signal);
    const { state: kind, apiKey } = inputs;
    if (kind === 'none' || inputs.dryRun || !endsWithRun(host.env)) return await handleEvent(event, own);
    const whyNot = whyNoSeal(apiKey);
    if (apiKey === undefined || whyNot !== undefined) {
      log(`the input api-key ${whyNot}, so nothing of the session is kept between runs`);
      return await handleEvent(event, own);
    }
    const { withKeptSession } = await import('./state/with-kept-session.ts');
    const runtimeToken = environment.ACTIONS_RUNTIME_TOKEN;
    if (runtimeToken) host.bot.redactor.add(runtimeToken);
    return await withKeptSession(event, {
      ...{ kind, apiKey, variables: environment, bot: host.bot, host: own, log },
      onKept: () => (isKept = true),
      warn: (message) => warn(message, host.bot.redactor),
    });
  } catch (error) {
    if (!signal.aborted) throw error;
    log('the run was cancelled');
    return [{ status: 'stopped', why: 'cancelled' }];
  } finally {
    await host.bot.close();
  }
}

/** `isAgain`: a person runs the workflow again. */
type Opened = OpenHost & { readonly isAgain: boolean; readonly polling: PollingStart };

function actionHost(host: Opened, inputs: ActionInputs, signal: AbortSignal): Host {
  const { env, bot, operator, userAgent, isAgain, polling } = host;
  const auth = inputs.githubToken;
  if (!auth)
    throw new DshError(
      'The input github-token is empty.',
      'GITHUB_NOT_CONFIGURED',
      'Leave it out to use the token of the workflow.',
    );
  bot.redactor.add(auth);
  return {
    self: ACTIONS_SELF,
    operator,
    inputs: inputs.settings,
    signal,
    openRepository: async ({ repo }) =>
      openAccess({
        auth,
        apiUrl: env.GITHUB_API_URL,
        userAgent,
        self: ACTIONS_SELF,
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
        () => bot.runJob({ ...request, isAgain }),
        polling,
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

/** Also among the annotations of the run and in its summary. */
function warn(text: string, redactor: Redactor): void {
  const said = printableWithout(text, (raw) => redactor.redact(raw));
  core.warning(said);
  core.summary.addRaw(`> ${makeInert(said)}\n\n`);
}

/** The runner cancels by SIGINT, and by SIGTERM 7.5 seconds later. */
function interruption(): AbortSignal {
  const controller = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => controller.abort());
  return controller.signal;
}
