/** A path as it may stand in output: names with control characters are quoted, so that they cannot imitate other lines. */
export function printablePath(path: string): string {
  return /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/.test(path) ? JSON.stringify(path) : path;
}
