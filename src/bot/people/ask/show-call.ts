import { REASON_TEXTS } from '../../../publish/request/reason-texts.ts';
import type { ReasonTexts } from '../../../publish/request/reason-texts.ts';
import type { ShownAction } from '../../../publish/request/request-view.ts';
import { strictLength } from '../../../publish/markdown/body.ts';
import { visibleText } from '../../../publish/markdown/visible-text.ts';
import { argumentsOf, pathsOf } from './approval-rules.ts';

/** More cannot be shown whole in one comment, and nobody can approve what is not shown. */
const MAX_SHOWN_CHARS = 40_000;

/** The exact arguments of a logged call as people read them (A1). Undefined where they cannot be shown whole. Pure. */
export function showCall(raw: string, redact: (text: string) => string): ShownAction | undefined {
  if (raw.length > MAX_SHOWN_CHARS) return undefined;
  const shown = shownAction(raw, redact);
  const drawn = [shown.command, shown.rest].map((text) => visibleText(text ?? ''));
  return strictLength(drawn.join('')) > MAX_SHOWN_CHARS ? undefined : shown;
}

function shownAction(raw: string, redact: (text: string) => string): ShownAction {
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
export function touchesOf(raw: string, texts: ReasonTexts = REASON_TEXTS.en): string[] {
  const { sandbox_permissions: mode, network } = argumentsOf(raw);
  return [
    ...pathsOf(raw).map(texts.file),
    ...(typeof mode === 'string' ? [texts.mode(mode)] : []),
    ...(typeof network === 'string' ? [texts.network(network)] : []),
    texts.workTree,
  ];
}
