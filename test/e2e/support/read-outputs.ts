/** Reads a runner's output file: `name<<delimiter`, the value's lines, the delimiter. */
export function readOutputs(text: string): Record<string, string> {
  const found = text.matchAll(/^(?<name>[^\n]+?)<<(?<end>[^\n]+)\n(?<value>[\s\S]*?)\n?\k<end>$/gm);
  return Object.fromEntries([...found].map(({ groups }) => [groups?.name ?? '', groups?.value ?? '']));
}
