import { createGitHub } from './github/client.ts';
import type { GitHub } from './github/client.ts';
import { hasWorkflowScope } from './github/has-workflow-scope.ts';
import { permissionsFor } from './github/least-permissions.ts';
import type { TokenUse } from './github/least-permissions.ts';
import { createPermissionLookup } from './github/permissions.ts';
import { statusOf } from './github/request-hook.ts';
import { systemClock } from './github/clock.ts';
import { RequestPacer } from './github/request-pacer.ts';
import { createTokenProvider } from './github/token-provider.ts';
import type { AppInstallationAuth, GitHubAuth, MintedToken } from './github/token-provider.ts';
import type { RecordedWrite } from './github/dry-run.ts';
import type { RepositoryAccess } from './bot/job/job.ts';
import { checkRepositoryConfig } from './config/check-repository-config.ts';
import { mergeConfig } from './config/merge-config.ts';
import type { ConfigFile } from './config/config-file.ts';
import { readConfigFile } from './config/read-config-file.ts';
import type { Redactor } from './publish/redact.ts';
import type { OwnIdentity } from './triggers/trigger-config.ts';

export interface AccessOptions {
  readonly auth: GitHubAuth;
  readonly apiUrl: string;
  readonly userAgent: string;
  readonly self: OwnIdentity;
  readonly ownLogin: string;
  readonly repo: { readonly owner: string; readonly repo: string };
  readonly redactor: Redactor;
  /** Given, nothing is written: each would-be write comes here. */
  readonly dryRun?: (write: RecordedWrite) => void;
  /** What the tokens of an installation are minted for; default: what happens between turns. */
  readonly use?: TokenUse;
  /** Shared by all that uses the same account. */
  readonly pacer?: RequestPacer;
}

export const CONFIG_PATH = '.github/dsh.yml';

/** Opens one repository with the rights of a token or an installation; every token minted is known to the redactor. */
export function openAccess(options: AccessOptions): RepositoryAccess {
  const { apiUrl, userAgent, self, ownLogin, redactor, dryRun, use = 'talk' } = options;
  const { owner, repo } = options.repo;
  const { pacer = new RequestPacer(systemClock) } = options;
  const auth = isInstallation(options.auth) ? { ...options.auth, permissions: permissionsFor(use) } : options.auth;
  let granted: MintedToken['permissions'];
  const onMinted = ({ permissions }: MintedToken) => void (granted = permissions);
  const mint = createTokenProvider(auth, { apiUrl, onMinted });
  const token = async (wanted?: { fresh?: boolean }) => {
    const minted = await mint(wanted);
    redactor.add(minted);
    return minted;
  };
  const github = createGitHub({ auth: token, apiUrl, userAgent, pacer, ...(dryRun && { dryRun }) });
  return {
    github,
    repo: { owner, repo },
    token,
    self,
    ownLogin,
    permissionOf: createPermissionLookup(github),
    repositoryConfig: (operator) => readRepositoryConfig(github, { owner, repo }, operator),
    mayWriteWorkflows: async (signal) => {
      if (!isInstallation(auth)) return await hasWorkflowScope(github, signal);
      auth.permissions = { ...auth.permissions, workflows: 'write' };
      await token({ fresh: true });
      return granted?.workflows === 'write';
    },
    ...(isInstallation(auth) && {
      installationId: auth.installationId,
      narrowedTo: (wanted) => openAccess({ ...options, pacer, use: wanted }),
    }),
    dryRun: dryRun !== undefined,
  };
}

function isInstallation(auth: GitHubAuth): auth is AppInstallationAuth {
  return typeof auth === 'object';
}

/** Reads `.github/dsh.yml` at the default branch; a repository without one sets nothing. */
async function readRepositoryConfig(
  github: GitHub,
  repo: { owner: string; repo: string },
  operator: ConfigFile,
): Promise<ConfigFile> {
  const text = await readText(github, repo);
  if (text === undefined) return {};
  const file = readConfigFile(text, CONFIG_PATH);
  checkRepositoryConfig(file, mergeConfig(operator), operator.allow ?? []);
  return file;
}

async function readText(github: GitHub, repo: { owner: string; repo: string }): Promise<string | undefined> {
  try {
    const { data } = await github.rest.repos.getContent({ ...repo, path: CONFIG_PATH });
    if (Array.isArray(data) || data.type !== 'file' || !('content' in data)) return undefined;
    return Buffer.from(data.content, 'base64').toString('utf8');
  } catch (error) {
    if (statusOf(error) === 404) return undefined;
    throw error;
  }
}
