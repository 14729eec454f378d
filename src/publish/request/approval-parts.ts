import type { BodyPart } from '../markdown/body.ts';
import { clip } from '../markdown/clip.ts';
import { fenced } from '../markdown/fenced.ts';
import { inertInline } from '../markdown/inert-line.ts';
import type { RequestTexts } from './request-texts.ts';
import type { ApprovalView } from './request-view.ts';
import { visibleText } from '../markdown/visible-text.ts';

/** Longer blocks are folded. */
const SHOWN_CHARS = 1_500;
const SHOWN_LINES = 25;
const SHOWN_TOUCHES = 60;
const REASON_CHARS = 2_000;
const LINE_CHARS = 200;

/** What somebody is asked to approve: the exact action, why, what it touches, and the ways to answer (A1). Pure. */
export function approvalParts(view: ApprovalView, texts: RequestTexts): BodyPart[] {
  const { tool, reason, touches, headSha, settled } = view;
  const wants = tool === 'publish' ? texts.wantsToPublish : texts.wantsToRun(`\`${inertCode(tool)}\``);
  return [
    { kind: 'markdown', text: wants },
    ...actionParts(view, texts),
    ...(reason
      ? [{ kind: 'markdown', text: `${texts.why}: ${inertInline(clip(visibleText(reason), REASON_CHARS))}` } as const]
      : []),
    { kind: 'markdown', text: touchesText(touches, headSha, texts) },
    ...(settled ? [] : [{ kind: 'markdown', text: answerText(view, texts) } as const]),
  ];
}

function inertCode(name: string): string {
  return name.replaceAll(/[^\w.-]/g, '_').slice(0, 100);
}

function actionParts({ shown }: ApprovalView, texts: RequestTexts): BodyPart[] {
  const blocks = [
    { text: shown.command, summary: texts.command, language: 'sh' },
    { text: shown.rest, summary: texts.arguments, language: 'json' },
    { text: shown.diff, summary: texts.diff, language: 'diff' },
  ] as const;
  return blocks.flatMap(({ text, summary, language }) =>
    text === undefined ? [] : [blockPart(visibleText(text), summary, language)],
  );
}

function blockPart(text: string, summary: string, language: string): BodyPart {
  const isLong = text.length > SHOWN_CHARS || text.split('\n').length > SHOWN_LINES;
  if (isLong) return { kind: 'folded', summary, text, language };
  return { kind: 'markdown', text: fenced(text, language) };
}

function touchesText(touches: readonly string[], headSha: string, texts: RequestTexts): string {
  const more = touches.length - SHOWN_TOUCHES;
  const lines = touches.slice(0, SHOWN_TOUCHES).map((line) => `- ${inertInline(clip(visibleText(line), LINE_CHARS))}`);
  return [`${texts.touches(headSha.slice(0, 10))}`, ...lines, ...(more > 0 ? [`- ${texts.more(more)}`] : [])].join(
    '\n',
  );
}

function answerText({ id, checked = [] }: ApprovalView, texts: RequestTexts): string {
  const box = (place: number, text: string) => `- [${checked.includes(place) ? 'x' : ' '}] ${text}`;
  return [box(0, texts.approveBox), box(1, texts.denyBox), '', texts.approvalWays(id)].join('\n');
}
