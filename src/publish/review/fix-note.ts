/** What we say in a thread before we resolve it. */
export function fixNote(sha: string): string {
  return `Fixed by ${sha}.`;
}

export function isFixNote(body: string): boolean {
  return /^Fixed by [0-9a-f]{40,64}\.$/.test(body.trim());
}
