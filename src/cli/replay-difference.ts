/** The first place at which two JSON values differ, such as `messages[2].content[0].text`; undefined if they are equal. */
export function firstDifference(a: unknown, b: unknown, path = ''): string | undefined {
  if (Object.is(a, b)) return undefined;
  if (!isBranch(a) || !isBranch(b) || Array.isArray(a) !== Array.isArray(b)) return path || 'all of it';
  for (const key of new Set([...Object.keys(a), ...Object.keys(b)])) {
    const found = firstDifference(Reflect.get(a, key), Reflect.get(b, key), join(path, key, Array.isArray(a)));
    if (found !== undefined) return found;
  }
  return undefined;
}

function isBranch(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function join(path: string, key: string, isIndex: boolean): string {
  if (isIndex) return `${path}[${key}]`;
  return path ? `${path}.${key}` : key;
}
