import { Resolver } from 'node:dns/promises';
import { networkInterfaces } from 'node:os';
import { blockedAddress, embeddedIpv4 } from '../../seams/web/blocked-address.ts';

export interface ResolvedAddress {
  readonly address: string;
  readonly family: 4 | 6;
}
/** Once the signal is aborted nothing is waited for any more. */
export type ResolveHost = (host: string, signal: AbortSignal) => Promise<ResolvedAddress[]>;

const QUERY_LIMIT = { timeout: 3_000, tries: 2 };

/**
 * Asks the name servers of this machine, and nothing else: no file of names and no search domain can turn a public name
 * into a host of the inside. Answers an empty list for a name without addresses.
 */
export async function resolveHost(
  host: string,
  signal: AbortSignal,
  resolver: Resolver = new Resolver(QUERY_LIMIT),
): Promise<ResolvedAddress[]> {
  const cancel = () => resolver.cancel();
  signal.addEventListener('abort', cancel, { once: true });
  try {
    const [ipv4, ipv6] = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
    return [...found(ipv4, 4), ...found(ipv6, 6)];
  } finally {
    signal.removeEventListener('abort', cancel);
  }
}

function found(answer: PromiseSettledResult<string[]>, family: 4 | 6): ResolvedAddress[] {
  return answer.status === 'fulfilled' ? answer.value.map((address) => ({ address, family })) : [];
}

/** Why a sandbox may not reach an address: what is not public, and this machine itself under whatever address it has. */
export function forbiddenAddress(address: string, own: readonly string[] = ownAddresses()): string | undefined {
  const blocked = blockedAddress(address);
  if (blocked !== undefined) return blocked;
  return own.includes(embeddedIpv4(address) ?? address) ? 'this machine' : undefined;
}

function ownAddresses(): string[] {
  return Object.values(networkInterfaces()).flatMap((list) => (list ?? []).map(({ address }) => address));
}
