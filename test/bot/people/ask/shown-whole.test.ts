import { describe, expect, it } from '@jest/globals';
import { showCall } from '../../../../src/bot/people/ask/show-call.ts';
import { visibleText } from '../../../../src/publish/markdown/visible-text.ts';
import { renderRequest } from '../../../../src/publish/request/request-comment.ts';
import { viewOf } from '../../../../src/bot/people/request-data.ts';
import { approvalRequest } from '../request-fixture.ts';

const same = (text: string) => text;

/** Whether the comment of a call holds all of what would run, or the call cannot be asked about at all. */
function isWholeOrRefused(raw: string): boolean {
  const shown = showCall(raw, same);
  if (!shown) return true;
  const data = approvalRequest().data as object;
  const touches = Array.from({ length: 60 }, (_, at) => `${at} ${'é'.repeat(300)}`);
  const request = approvalRequest({
    data: JSON.parse(JSON.stringify({ ...data, shown, touches, reason: '@a '.repeat(3_000) })),
  });
  const body = renderRequest(viewOf(request));
  return [shown.command, shown.rest].every((text) => text === undefined || body.includes(visibleText(text)));
}

describe('bot-human-loop', () => {
  it.each([
    ['a list of many numbers', JSON.stringify({ list: Array.from({ length: 9_000 }, () => 1) })],
    ['lists in lists', `{"a":${'['.repeat(300)}${']'.repeat(300)}}`],
    ['a command of many lines', JSON.stringify({ command: '\n'.repeat(19_900) })],
    ['a command of marks that show nothing', JSON.stringify({ command: '\u200b'.repeat(6_600) })],
    ['escapes for marks that show nothing', `{"command":"${String.raw`\u200b`.repeat(6_600)}"}`],
    ['fences', JSON.stringify({ command: '```\n'.repeat(7_900) })],
    [
      'one command and a long list',
      JSON.stringify({ command: 'a'.repeat(19_000), more: Array.from({ length: 2_000 }, (_, at) => at) }),
    ],
    ['text that is no object', `"${'x'.repeat(39_000)}"`],
  ])('A1 nobody is asked about what one comment cannot show whole: %s', (_case, raw) => {
    expect(isWholeOrRefused(raw)).toBe(true);
  });

  it('A1 a call of common length is shown', () => {
    expect(showCall(JSON.stringify({ command: `echo ${'word '.repeat(3_000)}` }), same)).toBeDefined();
  });
});
