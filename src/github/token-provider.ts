import { createAppAuth } from '@octokit/auth-app';
import { Octokit } from '@octokit/rest';
import { installationGone } from './errors.ts';
import { grantedOf } from './least-permissions.ts';
import type { TokenPermissions } from './least-permissions.ts';
import { statusOf } from './request-hook.ts';
import { silentLog } from './silent-log.ts';

const RENEW_BEFORE_MS = 5 * 60_000;

/** Answers a token that is good for a call made now; `fresh` asks for one other than the last, after a 401. */
export type TokenProvider = (options?: { fresh?: boolean }) => Promise<string>;

export interface AppInstallationAuth {
  appId: number | string;
  privateKey: string;
  installationId: number;
  /** The token is minted for these repositories only; absent means all of the installation. */
  repositoryIds?: number[];
  /** Of these what was granted; absent means all that was. Looked at for each token. */
  permissions?: TokenPermissions;
}

export type GitHubAuth = string | TokenProvider | AppInstallationAuth;

export interface MintedToken {
  token: string;
  expiresAt: Date;
  /** What the token may do, by GitHub's names. */
  permissions?: Readonly<Record<string, string>>;
}

/** Tokens for API and git alike. Installation tokens live an hour: one with less than 5 minutes left is renewed. */
export function createTokenProvider(
  auth: GitHubAuth,
  options: { apiUrl?: string; fetch?: typeof fetch; now?: () => Date; onMinted?: (minted: MintedToken) => void } = {},
): TokenProvider {
  if (typeof auth === 'string') return async () => auth;
  if (typeof auth === 'function') return auth;
  const mint = mintInstallationToken(auth, options);
  const told = async () => {
    const minted = await mint();
    options.onMinted?.(minted);
    return minted;
  };
  return renewingTokens(told, options.now ?? (() => new Date()));
}

/** Keeps one token and mints the next when it runs out; callers that come together share one mint. */
export function renewingTokens(mint: () => Promise<MintedToken>, now: () => Date): TokenProvider {
  let current: MintedToken | undefined;
  let minting: Promise<MintedToken> | undefined;

  return async ({ fresh = false } = {}) => {
    if (!fresh && current && current.expiresAt.getTime() - now().getTime() >= RENEW_BEFORE_MS) return current.token;
    minting ??= mint().finally(() => (minting = undefined));
    current = await minting;
    return current.token;
  };
}

/** https://docs.github.com/rest/apps/apps#create-an-installation-access-token-for-an-app */
function isGone(error: unknown): boolean {
  const status = statusOf(error);
  return status === 404 || (status === 403 && /suspended/i.test(String((error as Error).message)));
}

function mintInstallationToken(
  auth: AppInstallationAuth,
  { apiUrl, fetch }: { apiUrl?: string; fetch?: typeof globalThis.fetch },
): () => Promise<MintedToken> {
  const { appId, privateKey, installationId, repositoryIds } = auth;
  const { request } = new Octokit({ ...(apiUrl && { baseUrl: apiUrl }), log: silentLog, request: { fetch } });
  const appAuth = createAppAuth({ appId, privateKey, installationId, request });
  const mint = async (permissions: TokenPermissions | undefined): Promise<MintedToken> => {
    const options = {
      ...(repositoryIds && { repositoryIds }),
      ...(permissions && { permissions: { ...permissions } }),
    };
    const minted = await appAuth({ type: 'installation', refresh: true, ...options });
    const { token, expiresAt, permissions: granted } = minted;
    return { token, expiresAt: new Date(expiresAt), permissions: granted as Record<string, string> };
  };
  const grants = async (): Promise<Record<string, string>> => {
    const { token } = await appAuth({ type: 'app' });
    const headers = { authorization: `bearer ${token}` };
    const { data } = await request('GET /app/installations/{id}', { id: installationId, headers });
    return (data as { permissions: Record<string, string> }).permissions;
  };
  return async () => {
    const wanted = auth.permissions;
    try {
      return await mint(wanted);
    } catch (error) {
      if (isGone(error)) throw installationGone(error);
      // An owner has not granted yet what a newer version asks for: the rest has to do.
      if (!wanted || statusOf(error) !== 422) throw error;
      return await mint(grantedOf(wanted, await grants()));
    }
  };
}
