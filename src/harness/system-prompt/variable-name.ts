/** What may stand between the braces of `{{name}}`. */
export function isVariableName(name: string): boolean {
  return /^[a-z][a-z0-9_]*$/.test(name);
}
