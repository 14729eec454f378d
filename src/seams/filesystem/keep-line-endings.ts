const SAMPLE = 4096;

/** New content for an existing file: text with only LF takes the ending that prevails at the start of the old one. */
export function keepLineEndings(content: string, existing: string): string {
  if (content.includes('\r\n') || !prefersCrLf(existing.slice(0, SAMPLE))) return content;
  return content.replaceAll('\n', '\r\n');
}

function prefersCrLf(sample: string): boolean {
  const crLf = sample.split('\r\n').length - 1;
  const all = sample.split('\n').length - 1;
  return crLf > all - crLf;
}
