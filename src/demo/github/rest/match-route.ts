import type { Route } from './route.ts';

interface Compiled {
  method: string;
  pattern: RegExp;
  route: Route;
}

/** Finds the route of a request. Refs and paths take slashes; where two patterns fit, the one with more fixed text wins. */
export function routeMatcher(
  routes: Route[],
): (method: string, path: string) => { route: Route; params: Record<string, string> } | undefined {
  const compiled = [...routes].sort((a, b) => fixedLength(b) - fixedLength(a)).map(compile);
  return (method, path) => {
    for (const { method: own, pattern, route } of compiled) {
      const match = own === method ? pattern.exec(path) : null;
      if (match) return { route, params: decode(match.groups ?? {}) };
    }
    return undefined;
  };
}

const fixedLength = (route: Route) => route.operation.replace(/\{\w+\}/g, '').length;

function compile(route: Route): Compiled {
  const [method = '', path = ''] = route.operation.split(' ');
  const source = path
    .replace(/[.+]/g, '\\$&')
    .replace(/\{(path|ref|branch|basehead)\}/g, '(?<$1>.+)')
    .replace(/\{(\w+)\}/g, '(?<$1>[^/]+)');
  return { method, pattern: new RegExp(`^${source}/?$`), route };
}

function decode(groups: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(groups).map(([name, value]) => [name, decodeURIComponent(value)]));
}
