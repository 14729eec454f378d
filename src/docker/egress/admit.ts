import { judgeTarget } from './egress-policy.ts';
import type { EgressPolicy, EgressTarget } from './egress-policy.ts';
import type { ResolvedAddress, ResolveHost } from './resolve-host.ts';

/** How a proxy looks up and judges addresses. */
export interface AddressRules {
  readonly resolve: ResolveHost;
  /** Why an address may not be reached. */
  readonly forbidden: (address: string) => string | undefined;
}

/** Where a request may go: exactly these addresses, which were checked, and no second look-up. */
export interface Admitted {
  readonly host: string;
  readonly port: number;
  readonly addresses: readonly ResolvedAddress[];
  readonly refused?: undefined;
}

/** Judges the name, looks it up once, and judges every address it has: one that is forbidden refuses them all. */
export async function admit(
  target: EgressTarget,
  policy: EgressPolicy,
  { resolve, forbidden }: AddressRules,
  signal: AbortSignal,
): Promise<Admitted | { readonly refused: string }> {
  const judged = judgeTarget(target, policy);
  if (judged.refused !== undefined) return judged;
  const addresses = await resolve(judged.host, signal);
  if (addresses.length === 0) return { refused: 'does not resolve' };
  const reason = addresses.map(({ address }) => forbidden(address)).find((kind) => kind !== undefined);
  if (reason !== undefined) return { refused: `resolves to a forbidden address: ${reason}` };
  return { host: judged.host, port: target.port, addresses };
}
