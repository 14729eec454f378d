import { randomUUID } from 'node:crypto';
import type { RecordedWrite } from '../github/dry-run.ts';
import { createGitHub } from '../github/client.ts';
import type { GitHub } from '../github/client.ts';
import { readRepository } from '../github/repository.ts';
import type { ConfigFile } from '../config/config-file.ts';
import type { Env } from '../config/env.ts';
import type { Bot } from '../create-bot.ts';
import type { HostAsking } from '../bot/job/job.ts';
import { DshError } from '../errors.ts';
import { handleEvent } from '../handle-event.ts';
import type { Handled } from '../handle-event.ts';
import { openAccess } from '../repository-access.ts';
import { dispatchEvent } from '../triggers/read-dispatch.ts';
import type { CommandName } from '../triggers/command-table.ts';
import { ownPermission } from './own-permission.ts';
import { parseSubjectUrl } from './parse-subject-url.ts';
import { printableWithout } from './printable.ts';
import { readSubjectKind } from './read-subject-kind.ts';
import { TerminalSurface } from './terminal-surface.ts';

export interface SubjectCall {
  readonly command: CommandName;
  readonly url: string;
  readonly text: string;
  readonly dryRun: boolean;
}
export interface TerminalOptions {
  readonly env: Env;
  readonly bot: Bot;
  readonly operator: ConfigFile;
  readonly inputs: ConfigFile;
  readonly userAgent: string;
  readonly say: (line: string) => void;
  readonly signal: AbortSignal;
  /** How people are asked from here. */
  readonly asking?: HostAsking | undefined;
}

/** One turn from a terminal: the owner of `GITHUB_TOKEN` is the one who asks; progress is told here. */
export async function runOnSubject(call: SubjectCall, options: TerminalOptions): Promise<Handled[]> {
  const { env, bot, operator, inputs, userAgent, say, signal } = options;
  const { GITHUB_TOKEN: auth, GITHUB_API_URL: apiUrl } = env;
  const address = parseSubjectUrl(call.url, env.GITHUB_SERVER_URL);
  const { owner, repo } = address;
  if (!auth)
    throw new DshError(
      'GITHUB_TOKEN is not set.',
      'GITHUB_NOT_CONFIGURED',
      'Set it to a token that may write to the repository.',
    );
  const github = createGitHub({ auth, apiUrl, userAgent });
  const [actor, repository] = await Promise.all([
    readOwner(github, signal),
    readRepository(github, { owner, repo }, signal),
  ]);
  const subject = await readSubjectKind(github, address, signal);
  const at = {
    id: repository.id,
    owner: repository.owner,
    repo: repository.repo,
    private: repository.isPrivate,
    defaultBranch: repository.defaultBranch,
  };
  const event = dispatchEvent({ repo: at, subject, actor, command: call.command, text: call.text }, randomUUID());
  const tell = (text: string) => say(printableWithout(text, (raw) => bot.redactor.redact(raw)));
  const writes: RecordedWrite[] = [];
  const dryRun = call.dryRun ? (write: RecordedWrite) => void writes.push(write) : undefined;
  const handled = await handleEvent(event, {
    self: {},
    operator,
    inputs,
    signal,
    openRepository: async () => {
      const access = openAccess({
        auth,
        apiUrl,
        userAgent,
        self: {},
        ownLogin: actor.login,
        repo: at,
        redactor: bot.redactor,
        dryRun,
      });
      return { ...access, permissionOf: ownPermission(access.permissionOf) };
    },
    surfaceFor: () => new TerminalSurface(tell),
    runJob: (request) => bot.runJob({ ...request, asking: options.asking }),
    services: bot.services,
    causeTaken: (_session, { repo, cause, delivery }) => bot.causeTaken(repo.id, cause, delivery),
  });
  for (const write of writes) tell(`would ${write.method} ${write.url}\n${JSON.stringify(write.body, null, 2)}`);
  return handled;
}

/** Who the token belongs to. */
export async function readOwner(github: GitHub, signal: AbortSignal) {
  const { data } = await github.rest.users.getAuthenticated({ request: { signal } });
  return { id: data.id, login: data.login, association: 'NONE' };
}
