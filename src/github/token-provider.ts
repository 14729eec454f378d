import { createAppAuth } from '@octokit/auth-app';
import { Octokit } from '@octokit/rest';
import { installationGone } from './errors.ts';
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
  permissions?: Record<string, string>;
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
  { appId, privateKey, installationId, repositoryIds, permissions }: AppInstallationAuth,
  { apiUrl, fetch }: { apiUrl?: string; fetch?: typeof globalThis.fetch },
): () => Promise<MintedToken> {
  const { request } = new Octokit({ ...(apiUrl && { baseUrl: apiUrl }), log: silentLog, request: { fetch } });
  const appAuth = createAppAuth({ appId, privateKey, installationId, request });
  return async () => {
    const {
      token,
      expiresAt,
      permissions: granted,
    } = await appAuth({
      type: 'installation',
      refresh: true,
      ...(repositoryIds && { repositoryIds }),
      ...(permissions && { permissions }),
    }).catch((error: unknown) => {
      throw isGone(error) ? installationGone(error) : error;
    });
    return { token, expiresAt: new Date(expiresAt), permissions: granted as Record<string, string> };
  };
}
