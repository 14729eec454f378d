import type { ShownAction } from '../../../publish/request/request-view.ts';
import { visibleText } from '../../../publish/markdown/visible-text.ts';
import { argumentsOf, pathsOf } from './approval-rules.ts';

/** More cannot be shown whole in one comment, and nobody can approve what is not shown. */
const MAX_SHOWN_CHARS = 40_000;

/** The exact arguments of a logged call as people read them (A1). Undefined where they cannot be shown whole. Pure. */
export function showCall(raw: string, redact: (text: string) => string): ShownAction | undefined {
  if (visibleText(raw).length > MAX_SHOWN_CHARS) return undefined;
  const { command, ...rest } = argumentsOf(raw);
  if (Object.keys(rest).length === 0 && typeof command !== 'string') return { command: undefined, rest: redact(raw) };
  const isCommand = typeof command === 'string';
  const others = isCommand ? rest : { ...rest, ...(command !== undefined && { command }) };
  return {
    command: isCommand ? redact(command) : undefined,
    rest: Object.keys(others).length > 0 ? redact(JSON.stringify(others, null, 2)) : undefined,
  };
}

/** What a call reaches, one line each. Pure. */
export function touchesOf(raw: string): string[] {
  const { sandbox_permissions: mode, network } = argumentsOf(raw);
  return [
    ...pathsOf(raw).map((path) => `file ${path}`),
    ...(typeof mode === 'string' ? [`sandbox mode ${mode}, for this call`] : []),
    ...(typeof network === 'string' ? [`network ${network}, for this call`] : []),
    'the work tree of this session',
  ];
}
