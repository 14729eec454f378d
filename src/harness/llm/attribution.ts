import type { AppIdentity } from './types.ts';

/** `product/version (+url)`: names the program, never a user, a session or a machine. */
export function userAgent({ product, version, url }: AppIdentity): string {
  return `${product}/${version} (+${url})`;
}

/** The headers of every model request. A deployment may add headers, but neither replace nor drop `User-Agent`. */
export function attributionHeaders(
  identity: AppIdentity,
  deployment: Readonly<Record<string, string>> = {},
): Record<string, string> {
  const kept = Object.entries(deployment).filter(([name]) => name.toLowerCase() !== 'user-agent');
  return { ...Object.fromEntries(kept), 'User-Agent': userAgent(identity) };
}
