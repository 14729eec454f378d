import { createHash, randomUUID } from 'node:crypto';
import { basename } from 'node:path';
import type { JobOutcome, RepositoryAccess } from '../bot/job/job.ts';
import type { LocalWork } from '../bot/job/local-work.ts';
import type { Subject } from '../bot/context/read-subject.ts';
import { readBaseFile } from '../bot/context/read-base-files.ts';
import { checkRepositoryConfig } from '../config/check-repository-config.ts';
import { mergeConfig } from '../config/merge-config.ts';
import type { ConfigFile } from '../config/config-file.ts';
import type { Config } from '../config/config.ts';
import { readConfigFile } from '../config/read-config-file.ts';
import type { Bot } from '../create-bot.ts';
import { DshError } from '../errors.ts';
import { branchesAbove, isValidBranchName } from '../github/branch-name.ts';
import type { GitHub } from '../github/client.ts';
import { branchInTheWay, branchNameInvalid } from '../github/errors.ts';
import { git } from '../github/git/git.ts';
import type { Thread } from '../github/threads.ts';
import { SessionId } from '../harness/session/types.ts';
import type { Turn } from '../publish/progress/surface.ts';
import { CONFIG_PATH } from '../repository-access.ts';
import { findCheckout } from './find-checkout.ts';
import type { LocalCheckout } from './find-checkout.ts';
import { printableWithout } from './printable.ts';
import { TerminalSurface } from './terminal-surface.ts';

export interface LocalOptions {
  readonly bot: Bot;
  readonly operator: ConfigFile;
  readonly inputs: ConfigFile;
  readonly folder: string;
  readonly say: (line: string) => void;
  readonly signal: AbortSignal;
}

/** `dsh fix --local`: the task is worked on a tree of its own made from HEAD, and left as a branch of this checkout. */
export async function fixLocal(task: string, options: LocalOptions): Promise<JobOutcome> {
  const { bot, say, signal, folder } = options;
  if (task.trim() === '') throw new DshError('The task is empty.', 'USAGE', 'Write dsh fix --local "what to do".');
  const checkout = await findCheckout(folder);
  const config = await configOf(checkout, options);
  await assertRoom(checkout.commonDir, `${config.branch.prefix}local`);
  const tell = (text: string) => say(printableWithout(text, (raw) => bot.redactor.redact(raw)));
  tell(`from ${checkout.branch} at ${checkout.headSha.slice(0, 10)}; what is not committed is not part of it`);
  const local = localWork(checkout, task);
  return await bot.runJob({
    turn: turnOf(task, local),
    session: SessionId(`local-${digestOf(checkout.commonDir)}-${Date.now().toString(36)}`),
    access: NO_ACCESS,
    config,
    surface: new LocalSurface(tell),
    signal,
    problem: undefined,
    local,
  });
}

/** A checkout may narrow what whoever runs this allows, as any repository. */
async function configOf({ gitDir, headSha }: LocalCheckout, { operator, inputs }: LocalOptions): Promise<Config> {
  const text = await readBaseFile({ gitDir, sha: headSha }, CONFIG_PATH);
  const file = text === undefined ? {} : readConfigFile(text, CONFIG_PATH);
  checkRepositoryConfig(file, mergeConfig(operator), operator.allow ?? []);
  return mergeConfig(operator, file, inputs);
}

/** Known before anything is spent: whether git has room for the branch that the result becomes. */
async function assertRoom(gitDir: string, branch: string): Promise<void> {
  if (!isValidBranchName(branch)) throw branchNameInvalid(branch);
  for (const above of branchesAbove(branch)) {
    const args = ['rev-parse', '--verify', '--quiet', `refs/heads/${above}`];
    if ((await git(args, { gitDir, answers: [0, 1] })).exitCode === 0) throw branchInTheWay(branch, above);
  }
}

function localWork({ root, commonDir, headSha, branch }: LocalCheckout, task: string): LocalWork {
  const names = { owner: 'local', repo: basename(root) };
  const repository = {
    ...{ ...names, id: Number.parseInt(digestOf(commonDir).slice(0, 7), 16), cloneUrl: commonDir },
    ...{ defaultBranch: branch, sizeMb: 0, isPrivate: true, archived: false },
  };
  const thread: Thread = {
    ...{ ...names, kind: 'issue', number: 0, title: task, body: '', url: '', state: 'open', createdAt: '' },
    author: { login: 'local', isBot: false, association: 'OWNER' },
    ...{ labels: [], comments: [], linked: [] },
  };
  const subject: Subject = { kind: 'issue', number: 0, repository, thread, pull: undefined };
  return { subject, gitDir: commonDir, headSha };
}

function turnOf(task: string, { subject }: LocalWork): Turn {
  const { id, owner, repo, defaultBranch } = subject.repository;
  const source = { kind: 'user' } as const;
  const delivery = randomUUID();
  return {
    kind: 'turn',
    job: 'fix',
    request: task,
    permission: 'admin',
    reading: {
      ...{ kind: 'custom', job: 'fix', request: task, source, trigger: { kind: 'message', source } },
      repo: { id, owner, repo, private: true, defaultBranch },
      subject: { kind: 'issue', number: 0 },
      actor: { id: 0, login: 'local', association: 'OWNER' },
      cause: `local-${delivery}`,
      delivery,
    },
  };
}

/** There is no GitHub: whatever asks it is a mistake of ours, and says so. */
const NO_ACCESS: RepositoryAccess = {
  github: new Proxy({}, { get: refuse }) as GitHub,
  repo: { owner: 'local', repo: 'local' },
  token: async () => '',
  self: {},
  ownLogin: 'local',
  permissionOf: async () => ({ kind: 'known', permission: 'admin' }),
  repositoryConfig: async () => ({}),
  mayWriteWorkflows: async () => true,
  dryRun: false,
};

function refuse(): never {
  throw new Error('a local job has no GitHub');
}

class LocalSurface extends TerminalSurface {
  override async accepted(): Promise<void> {}
}

function digestOf(text: string): string {
  return createHash('sha1').update(text).digest('hex').slice(0, 12);
}
