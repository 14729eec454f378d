import { createGitHub } from './github/client.ts';
import type { GitHub } from './github/client.ts';
import { hasWorkflowScope } from './github/has-workflow-scope.ts';
import { createPermissionLookup } from './github/permissions.ts';
import { statusOf } from './github/request-hook.ts';
import { createTokenProvider } from './github/token-provider.ts';
import type { GitHubAuth, MintedToken } from './github/token-provider.ts';
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
}

export const CONFIG_PATH = '.github/dsh.yml';

/** Opens one repository with the rights of a token or an installation; every token minted is known to the redactor. */
export function openAccess(options: AccessOptions): RepositoryAccess {
  const { auth, apiUrl, userAgent, self, ownLogin, redactor, dryRun } = options;
  const { owner, repo } = options.repo;
  let granted: MintedToken['permissions'];
  const onMinted = ({ permissions }: MintedToken) => void (granted = permissions);
  const mint = createTokenProvider(auth, { apiUrl, onMinted });
  const token = async (wanted?: { fresh?: boolean }) => {
    const minted = await mint(wanted);
    redactor.add(minted);
    return minted;
  };
  const github = createGitHub({ auth: token, apiUrl, userAgent, ...(dryRun && { dryRun }) });
  return {
    github,
    repo: { owner, repo },
    token,
    self,
    ownLogin,
    permissionOf: createPermissionLookup(github),
    repositoryConfig: (operator) => readRepositoryConfig(github, { owner, repo }, operator),
    mayWriteWorkflows: async (signal) => {
      await token();
      return granted ? granted.workflows === 'write' : await hasWorkflowScope(github, signal);
    },
    dryRun: dryRun !== undefined,
  };
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
