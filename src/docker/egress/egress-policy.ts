/**
 * What one sandbox may reach. `hosts` are names, `*.name` for all below a name, each with `:port` where it is neither 80
 * nor 443. `allow-list` lets nothing else through, `full` any public host besides.
 */
export interface EgressPolicy {
  readonly network: 'allow-list' | 'full';
  readonly hosts: readonly string[];
}

export interface EgressTarget {
  readonly host: string;
  readonly port: number;
}

export type Judgement = { readonly host: string; readonly refused?: undefined } | { readonly refused: string };

const WEB_PORTS = [80, 443];

/** Decides by name and port alone, before anything is looked up: not even a DNS query leaves for a host that is not meant. Pure. */
export function judgeTarget({ host: spelled, port }: EgressTarget, { network, hosts }: EgressPolicy): Judgement {
  const name = readHostName(spelled);
  if (name.refused !== undefined) return name;
  const rules = hosts.map(readRule).filter((rule) => matches(rule.pattern, name.host));
  if (rules.some((rule) => rule.ports.includes(port))) return name;
  if (network === 'allow-list' && rules.length === 0) return { refused: 'not on the list' };
  return network === 'full' && WEB_PORTS.includes(port) ? name : { refused: 'port not allowed' };
}

const LABEL = /^(?!-)[a-z0-9_-]{1,63}(?<!-)$/;
/** What a URL parser takes for the end of an IPv4 address: decimal, octal or hexadecimal. */
const NUMBER = /^(\d+|0x[0-9a-f]*)$/;

/** The one spelling of a host name, without the dot of the root. Addresses, however they are written, are no names. */
function readHostName(spelled: string): Judgement {
  const host = spelled.toLowerCase().replace(/\.$/, '');
  const labels = host.split('.');
  if (host.includes(':') || NUMBER.test(labels.at(-1) ?? '')) return { refused: 'an address and not a name' };
  if (host.length > 253 || !labels.every((label) => LABEL.test(label))) return { refused: 'not a host name' };
  return labels.length > 1 ? { host } : { refused: 'not a public name' };
}

function readRule(rule: string): { pattern: string; ports: number[] } {
  const [pattern = '', port] = rule.toLowerCase().split(':');
  return { pattern, ports: port === undefined ? WEB_PORTS : [Number(port)] };
}

function matches(pattern: string, host: string): boolean {
  return pattern.startsWith('*.') ? host.endsWith(pattern.slice(1)) : host === pattern;
}
