/** Which argument says best what a call is about. */
const TELLING = ['description', 'file_path', 'pattern', 'title', 'outcome', 'command'];

/** One line for people about a tool call, from its name and the model's raw arguments. Pure; never throws. */
export function describeCall(name: string, rawArguments: string): string {
  const args = parse(rawArguments);
  const key = TELLING.find((candidate) => typeof args[candidate] === 'string' && args[candidate] !== '');
  const about = key === undefined ? '' : `: ${String(args[key]).replaceAll(/\s+/g, ' ').slice(0, 120)}`;
  return `${name}${about}`;
}

function parse(rawArguments: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(rawArguments);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {}; // the model's own mistake; its name is all there is to tell
  }
}
