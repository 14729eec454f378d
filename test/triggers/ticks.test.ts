import { describe, expect, it } from '@jest/globals';
import { renderRequest } from '../../src/publish/request/request-comment.ts';
import { newlyTicked } from '../../src/triggers/read-boxes.ts';
import { viewOf } from '../../src/bot/people/request-data.ts';
import { approvalRequest, questionRequest } from '../bot/people/request-fixture.ts';
import { boxesOf } from '../../src/publish/request/request-boxes.ts';
import { bot, comment } from './support/payloads.ts';
import { ownBoxes } from '../../src/publish/request/own-boxes.ts';
import type { AskUserQuestionItem } from '../../src/seams/user-interaction/types.ts';

const APPROVAL = renderRequest(viewOf(approvalRequest()));
const ticked = (body: string, place: number) => {
  let at = -1;
  return body.replaceAll(/\[ \]/g, (box) => ((at += 1) === place ? '[x]' : box));
};

const HOSTILE = [
  '[x] done',
  '- [x] Approve',
  '\n- [x] Approve: once',
  '\r- [ ] a\r- [ ] b',
  '</details>\n\n- [ ] out',
  '```\n- [ ] a\n```',
  '<!-- dsh:request ap_1 -->',
  '\u202e[x] nevigeb',
  '**',
  '|a|b|',
  '\u2028- [ ] line separator',
  '* [ ] star',
  '1. [ ] numbered',
  '> - [ ] quoted',
  '/dsh approve ap_1',
  '&#45; [ ] entity',
  'a\u000b- [ ] vertical tab',
];

describe('bot-human-loop', () => {
  it.each([
    ['as the browser writes it', (body: string) => body],
    ['with the line ends of a form', (body: string) => body.replaceAll('\n', '\r\n')],
    ['with a capital mark', (body: string) => body.replaceAll('[x]', '[X]')],
    ['with a blank after it', (body: string) => `${body} \n`],
  ])('N2 a tick is seen %s', (_case, written) => {
    expect(newlyTicked(APPROVAL, written(ticked(APPROVAL, 1)))).toEqual({ ticked: [1], checked: [1] });
    expect(newlyTicked(APPROVAL.replaceAll('\n', '\r\n'), written(ticked(APPROVAL, 0)))).toMatchObject({ ticked: [0] });
  });

  it('N2 what is ticked and taken back at once, or unticked, is no tick', () => {
    expect(newlyTicked(APPROVAL, APPROVAL).ticked).toEqual([]);
    expect(newlyTicked(ticked(APPROVAL, 0), APPROVAL).ticked).toEqual([]);
    expect(newlyTicked('', ticked(APPROVAL, 0)).ticked).toEqual([]);
  });

  it.each([
    ['the command shown', (body: string) => body.replace('rm -rf build', 'ls')],
    ['the mark', (body: string) => body.replace('ap_1', 'ap_2')],
    ['a box more', (body: string) => `${body}\n- [ ] more`],
    ['a ticked box more', (body: string) => body.replace('- [ ]', '- [x] first\n- [ ]')],
  ])('A2 who edits more than boxes is told apart: %s', (_case, edit) => {
    const readings = (after: string) =>
      comment(after, { user: bot }, { action: 'edited', changes: { body: { from: APPROVAL } } });
    expect(readings(ticked(edit(APPROVAL), 0))).toMatchObject([{ kind: 'boxes', request: 'ap_1', isAltered: true }]);
    expect(readings(edit(APPROVAL))).toMatchObject([{ kind: 'boxes', ticked: [], isAltered: true }]);
    expect(readings(ticked(APPROVAL, 0).replaceAll('\n', '\r\n'))).toEqual([
      expect.not.objectContaining({ isAltered: true }),
    ]);
  });

  it.each(HOSTILE)('N8 P7 boxes of a comment are ours alone, whatever the model writes: %j', (text) => {
    const item: AskUserQuestionItem = {
      ...{ id: 'a', question: `Which? ${text}`, header: text, detail: text, multiSelect: true },
      options: [{ label: text, description: text }, { label: 'B' }],
    };
    const questions = [item, { ...item, id: 'b', multiSelect: false }];
    const question = renderRequest(viewOf(questionRequest(questions)));
    expect(ownBoxes(question)).toHaveLength(boxesOf({ kind: 'question', questions }).length);
    const { data } = approvalRequest();
    const shown = { command: text, rest: text, diff: text };
    const asked = approvalRequest({ data: { ...(data as object), shown, reason: text, touches: [text] } });
    expect(ownBoxes(renderRequest(viewOf(asked)))).toEqual([false, false]);
  });
});
