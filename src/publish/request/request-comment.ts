import { assembleBody } from '../markdown/body.ts';
import type { BodyPart } from '../markdown/body.ts';
import { clip } from '../markdown/clip.ts';
import { approvalParts } from './approval-parts.ts';
import { inertInline } from '../markdown/inert-line.ts';
import { requestMarker } from '../markers.ts';
import { questionParts } from './question-parts.ts';
import type { RequestView, Settled } from './request-view.ts';
import { REQUEST_TEXTS } from './request-texts.ts';
import type { RequestTexts } from './request-texts.ts';

/** Draws the comment of a request (A1, Q1): what is asked and how to answer, or how it ended. Pure. */
export function renderRequest(view: RequestView): string {
  return assembleBody(requestParts(view));
}

export function requestParts(view: RequestView): BodyPart[] {
  const texts = REQUEST_TEXTS[view.language];
  const parts = view.kind === 'approval' ? approvalParts(view, texts) : questionParts(view, texts);
  return [
    { kind: 'markdown', text: `${requestMarker(view.id)}\n**${headingOf(view, texts)}**` },
    ...parts,
    { kind: 'markdown', text: view.settled ? settledText(view.settled, texts) : openText(view, texts) },
  ];
}

function headingOf({ kind, settled }: RequestView, texts: RequestTexts): string {
  return settled ? texts.ended[settled.state] : texts.waits[kind];
}

function openText(view: RequestView, texts: RequestTexts): string {
  const until = dateText(view.expiresAt);
  return `<sub>${texts.openUntil(inertInline(view.askedOf), until)} · \`${view.id}\`</sub>`;
}

/** What people wrote stands whole in the log. */
const ANSWER_CHARS = 1_000;

function settledText({ state, by, how, at, reason, answers }: Settled, texts: RequestTexts): string {
  const who = by === undefined ? '' : inertInline(by);
  const lines = [
    texts.settledBy[state](who, texts.hows[how], dateText(at)),
    ...(reason ? [`${texts.reason}: ${inertInline(clip(reason, ANSWER_CHARS))}`] : []),
    ...(answers ?? []).map((line) => `- ${inertInline(clip(line, ANSWER_CHARS))}`),
  ];
  return lines.join('\n');
}

/** `2026-01-31 08:15 UTC`. */
function dateText(at: number): string {
  return `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}
