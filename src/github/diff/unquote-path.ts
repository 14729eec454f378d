const ESCAPES: Record<string, number> = { a: 7, b: 8, t: 9, n: 10, v: 11, f: 12, r: 13, '"': 34, '\\': 92 };

/** Git puts unusual names in quotes, as a C string of bytes. Bytes that are no UTF-8 become U+FFFD. */
export function unquotePath(path: string): string {
  if (!path.startsWith('"')) return path;
  const parts = path.slice(1, -1).match(/\\[0-7]{3}|\\.|[^\\]+/gs) ?? [];
  return Buffer.concat(parts.map(bytesOf)).toString();
}

function bytesOf(part: string): Buffer {
  if (!part.startsWith('\\')) return Buffer.from(part);
  const code = ESCAPES[part[1]!];
  return Buffer.from([code ?? Number.parseInt(part.slice(1), 8)]);
}
