/** The text of a part that is still to be written: a value, or a literal piece between values. */
type Part = { readonly text: string } | { readonly value: unknown };

/**
 * JSON text with the keys of every object in code unit order and no blanks: equal values give equal bytes.
 * Expects lossless JSON; properties that are `undefined` are left out.
 */
export function canonicalJson(value: unknown): string {
  const out: string[] = [];
  const todo: Part[] = [{ value }];
  for (let part = todo.pop(); part; part = todo.pop()) {
    if ('text' in part) out.push(part.text);
    else if (typeof part.value !== 'object' || part.value === null) out.push(JSON.stringify(part.value));
    else pushReversed(todo, partsOf(part.value));
  }
  return out.join('');
}

/** One by one: a spread of a long array overflows the call stack. */
function pushReversed(todo: Part[], parts: readonly Part[]): void {
  for (let i = parts.length - 1; i >= 0; i--) todo.push(parts[i]!);
}

function partsOf(container: object): Part[] {
  const parts: Part[] = [];
  if (Array.isArray(container)) {
    for (const value of container) parts.push({ text: parts.length === 0 ? '[' : ',' }, { value });
    return closed(parts, '[]');
  }
  for (const [key, value] of Object.entries(container).sort(([a], [b]) => (a < b ? -1 : 1))) {
    if (value === undefined) continue;
    parts.push({ text: `${parts.length === 0 ? '{' : ','}${JSON.stringify(key)}:` }, { value });
  }
  return closed(parts, '{}');
}

function closed(parts: Part[], brackets: '[]' | '{}'): Part[] {
  if (parts.length === 0) return [{ text: brackets }];
  parts.push({ text: brackets[1]! });
  return parts;
}
