import type { IncomingHttpHeaders } from 'node:http';

/** The path and what follows it; undefined for a target that names a host, which no link to this server does. Pure. */
export function pathOf(target: string): URL | undefined {
  if (!target.startsWith('/') || /^[/\\]{2}/.test(target)) return undefined;
  return URL.parse(target, 'http://localhost') ?? undefined;
}

/** As the person reaches this server, through a proxy perhaps. Pure. */
export function originOf(headers: IncomingHttpHeaders): string {
  const host = firstOf(headers['x-forwarded-host']) || firstOf(headers.host);
  const scheme = firstOf(headers['x-forwarded-proto']) === 'https' ? 'https' : 'http';
  return URL.parse(`${scheme}://${host}`)?.origin ?? 'http://localhost';
}

/**
 * Whether it comes straight from a person at this machine: by no proxy, and by no page of somebody else's whose name was
 * made to lead here. Pure.
 */
export function isFromHere(address: string | undefined, headers: IncomingHttpHeaders): boolean {
  const isForwarded = Object.keys(headers).some((name) => name === 'forwarded' || name.startsWith('x-forwarded-'));
  const name = URL.parse(`http://${firstOf(headers.host)}`)?.hostname ?? '';
  return !isForwarded && isLoopback(address ?? '') && (name === 'localhost' || isLoopback(name));
}

function isLoopback(address: string): boolean {
  return /^(::ffff:)?127(\.\d{1,3}){3}$|^\[?::1\]?$/.test(address);
}

function firstOf(header: string | string[] | undefined): string {
  return String(header ?? '')
    .split(',')[0]!
    .trim();
}
