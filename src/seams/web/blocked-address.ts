import { BlockList, isIP } from 'node:net';

export type BlockedKind =
  | 'loopback'
  | 'private'
  | 'link-local'
  | 'metadata'
  | 'carrier-grade NAT'
  | 'multicast'
  | 'reserved'
  | 'not an address';

/**
 * Why an address may not be reached on behalf of a model or its commands, or undefined where it is a public one. The one
 * table of blocked ranges, for whatever goes out. An IPv4 address inside an IPv6 one is judged as itself. Pure.
 * Source: IANA special-purpose address registries for IPv4 and IPv6.
 */
export function blockedAddress(address: string): BlockedKind | undefined {
  const family = isIP(address);
  if (family === 0 || address.includes('%')) return 'not an address';
  if (family === 4) return kindIn(IPV4, address, 'ipv4');
  const inner = embeddedIpv4(address);
  if (inner !== undefined) return blockedAddress(inner);
  return kindIn(IPV6, address, 'ipv6') ?? (isIn(GLOBAL_UNICAST, address) ? undefined : 'reserved');
}

type Range = readonly [kind: BlockedKind, ...subnets: string[]];

/** The narrower range comes first: some metadata services live in ordinary ranges. */
const IPV4 = ranges('ipv4', [
  ['metadata', '169.254.169.254/32', '169.254.170.2/32', '100.100.100.200/32', '168.63.129.16/32', '192.0.0.192/32'],
  ['loopback', '127.0.0.0/8'],
  ['private', '10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16'],
  ['link-local', '169.254.0.0/16'],
  ['carrier-grade NAT', '100.64.0.0/10'],
  ['multicast', '224.0.0.0/4'],
  // This network, protocol assignments, documentation, 6to4 relays, benchmarking, future use and broadcast.
  ['reserved', '0.0.0.0/8', '192.0.0.0/24', '192.0.2.0/24', '192.88.99.0/24', '198.18.0.0/15'],
  ['reserved', '198.51.100.0/24', '203.0.113.0/24', '240.0.0.0/4'],
]);

const IPV6 = ranges('ipv6', [
  ['metadata', 'fd00:ec2::254/128', 'fd20:ce::254/128'],
  ['loopback', '::1/128'],
  ['private', 'fc00::/7'],
  ['link-local', 'fe80::/10', 'fec0::/10'],
  ['multicast', 'ff00::/8'],
  // Protocol assignments with Teredo, documentation, 6to4: the latter lead to an IPv4 address of somebody's choice.
  ['reserved', '2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'],
]);

/** Of IPv6 only this part is given to hosts of the public network; all else is reserved. */
const GLOBAL_UNICAST = blockList('ipv6', ['2000::/3']);
/** IPv4-mapped, and translated by NAT64: the last four bytes are an IPv4 address. */
const EMBEDDING = blockList('ipv6', ['::ffff:0:0/96', '64:ff9b::/96']);

/** The IPv4 address that an IPv6 one only wraps: mapped, or translated by NAT64. Undefined for every other. */
export function embeddedIpv4(address: string): string | undefined {
  if (isIP(address) !== 6 || !isIn(EMBEDDING, address)) return undefined;
  // The URL parser writes every spelling in hexadecimal groups, zeros left out.
  const groups = new URL(`http://[${address}]`).hostname.slice(1, -1).split(':').slice(-2);
  const [high, low] = groups.map((group) => Number.parseInt(group || '0', 16)) as [number, number];
  return [high >> 8, high & 255, low >> 8, low & 255].join('.');
}

function kindIn(table: readonly { kind: BlockedKind; list: BlockList }[], address: string, family: Family) {
  return table.find(({ list }) => list.check(address, family))?.kind;
}

function isIn(list: BlockList, address: string): boolean {
  return list.check(address, 'ipv6');
}

type Family = 'ipv4' | 'ipv6';

function ranges(family: Family, table: readonly Range[]) {
  return table.map(([kind, ...subnets]) => ({ kind, list: blockList(family, subnets) }));
}

function blockList(family: Family, subnets: readonly string[]): BlockList {
  const list = new BlockList();
  for (const subnet of subnets) {
    const [net, bits] = subnet.split('/') as [string, string];
    list.addSubnet(net, Number(bits), family);
  }
  return list;
}
