import { parseDocument } from 'yaml';

/** Types of files that the host can check at once. */
const CHECKERS: Readonly<Record<string, ((text: string) => string | undefined) | undefined>> = {
  json: jsonError,
  yml: yamlError,
  yaml: yamlError,
};
/** Larger files take longer than anybody waits. */
const MAX_CHARS = 1_000_000;

/** `unknown` where there is no checker at hand; else the first error with its line, or none. `by` is a program of the sandbox. */
export type SyntaxCheck = { readonly error: string | undefined; readonly by?: string } | 'unknown';

/** By the parsers of the host itself. Pure. */
export function findSyntaxError(path: string, text: string): SyntaxCheck {
  const check = CHECKERS[path.slice(path.lastIndexOf('.') + 1).toLowerCase()];
  return check && text.length <= MAX_CHARS ? { error: check(text) } : 'unknown';
}

function jsonError(text: string): string | undefined {
  try {
    JSON.parse(text.replace(/^\ufeff/, ''));
    return undefined;
  } catch (error) {
    const { message } = error as Error;
    const line = /line (\d+)/.exec(message)?.[1] ?? String(text.trimEnd().split('\n').length);
    return `line ${line}: ${message.replaceAll(/\s+/g, ' ').slice(0, 200)}`;
  }
}

function yamlError(text: string): string | undefined {
  const [error] = parseDocument(text, { prettyErrors: true }).errors;
  if (!error) return undefined;
  return `line ${error.linePos?.[0].line ?? 1}: ${error.message.split('\n')[0]!.slice(0, 200)}`;
}
