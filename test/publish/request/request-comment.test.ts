import type { Nodes } from 'mdast';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { gfm } from 'micromark-extension-gfm';
import { describe, expect, it } from '@jest/globals';
import { showCall, touchesOf } from '../../../src/bot/people/ask/show-call.ts';
import { BODY_MAX, strictLength } from '../../../src/publish/markdown/body.ts';
import { languageOf } from '../../../src/publish/language.ts';
import { ownBoxes } from '../../../src/publish/request/own-boxes.ts';
import { Redactor } from '../../../src/publish/redact.ts';
import { boxesOf } from '../../../src/publish/request/request-boxes.ts';
import { renderRequest } from '../../../src/publish/request/request-comment.ts';
import { ENDING_TEXTS } from '../../../src/bot/telling/ending-texts.ts';
import { PROGRESS_TEXTS } from '../../../src/publish/progress/progress-texts.ts';
import { REQUEST_TEXTS } from '../../../src/publish/request/request-texts.ts';
import type { ApprovalView, QuestionView, RequestView, Settled } from '../../../src/publish/request/request-view.ts';
import { visibleText } from '../../../src/publish/markdown/visible-text.ts';
import { HOSTILE } from '../support/hostile-markdown.ts';

const SECRET = 'super-secret-token-0123456789';
const redactor = new Redactor([SECRET]);
const redact = (text: string) => redactor.redact(text);
const FACTS = { id: 'ap_0123456789ab', language: 'en', askedOf: 'maria', expiresAt: Date.UTC(2026, 0, 31) } as const;

function approval(raw: string, changed: Partial<ApprovalView> = {}): ApprovalView {
  const shown = showCall(raw, redact) ?? { command: undefined, rest: undefined };
  const asked = { tool: 'bash', reason: 'to build', touches: touchesOf(raw).map(redact), headSha: 'a'.repeat(40) };
  return { ...FACTS, kind: 'approval', shown, ...asked, ...changed };
}
function question(questions: QuestionView['questions'], changed: Partial<QuestionView> = {}): QuestionView {
  return { ...FACTS, id: 'q_0123456789ab', kind: 'question', questions, ...changed };
}
const settled = (state: Settled['state'], more: Partial<Settled> = {}): Settled => ({
  ...{ state, by: 'otto', how: 'command', at: 0 },
  ...more,
});
const COLOUR = {
  ...{ id: 'c', header: 'Paint', question: 'Which colour?', detail: 'It is for the door.' },
  options: [{ label: 'Red (Recommended)', description: 'warm' }, { label: 'Blue' }],
};

/** What GitHub would make of a body that we did not mean. */
function faultsOf(body: string, boxes: number): string[] {
  const faults: string[] = [];
  let seen = 0;
  const visit = (node: Nodes): void => {
    const text = 'value' in node && node.type !== 'code' && node.type !== 'inlineCode' ? node.value : '';
    if (/@[A-Za-z0-9]/.test(text)) faults.push(`mention: ${text}`);
    if (/(^|\W)#\d/.test(text)) faults.push(`cross-link: ${text}`);
    if (node.type === 'html' && !/^(<!-- dsh:request [a-z]+_\w+ -->|<\/?(sub|details|summary)>.*)/s.test(node.value))
      faults.push(`html: ${node.value}`);
    if (node.type === 'listItem' && node.checked != null) seen += 1;
    if (node.type === 'image') faults.push(`image: ${node.url}`);
    if (node.type === 'link' && !/^https?:/.test(node.url)) faults.push(`link: ${node.url}`);
    if (node.type === 'link' && /\/(issues|pull|commit)\/\w/.test(node.url)) faults.push(`cross-link: ${node.url}`);
    if ('children' in node) node.children.forEach((child) => visit(child as Nodes));
  };
  visit(fromMarkdown(body, { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] }));
  if (seen !== boxes) faults.push(`${seen} boxes that a parser sees, not ${boxes}`);
  const outside = body.replaceAll(/^(`{3,}).*\n[^]*?\n\1$/gm, '');
  if (/^\s*\/dsh/m.test(outside)) faults.push('a command at the start of a line');
  if (ownBoxes(body).length !== boxes) faults.push(`${ownBoxes(body).length} boxes, not ${boxes}`);
  if (body.includes(SECRET)) faults.push('a secret');
  if (strictLength(body) > BODY_MAX) faults.push(`${strictLength(body)} long`);
  if (!body.isWellFormed()) faults.push('half a character');
  return faults;
}

describe('approval', () => {
  it.each(['allowed', 'rejected', 'cancelled', 'unavailable'] as const)(
    'N9 settled as %s, the comment has no box left to tick',
    (state) => {
      const open = renderRequest(approval('{"command":"x"}'));
      const body = renderRequest(approval('{"command":"x"}', { settled: settled(state) }));
      expect([ownBoxes(open), ownBoxes(body)]).toEqual([[false, false], []]);
      expect(body.startsWith('<!-- dsh:request ap_0123456789ab -->')).toBe(true);
    },
  );
});

describe('user-interaction', () => {
  it('N1 N9 one comment holds every question with its boxes; answered, it says what and by whom', () => {
    const view = question([COLOUR, { id: 'w', question: 'Why?' }]);
    expect(ownBoxes(renderRequest(view))).toEqual([false, false, false]);
    const ended = settled('answered', { answers: ['Which colour? — Blue', 'Why? — because'] });
    const body = renderRequest({ ...view, settled: ended });
    expect(ownBoxes(body)).toEqual([]);
    expect(body).toContain('Answered by otto');
    expect(body).toContain('- Why? — because');
  });
});

describe('bot-human-loop', () => {
  it('A1 an approval shows the exact command and arguments, why, what it touches, id, head and three ways to answer', () => {
    const raw = JSON.stringify({
      command: 'npm publish\n  --tag next',
      timeoutMs: 5,
      network: 'full',
      sandbox_permissions: 'danger-full-access',
    });
    expect(renderRequest(approval(raw))).toMatchInlineSnapshot(`
     "<!-- dsh:request ap_0123456789ab -->
     **Waiting for an approval**

     The bot wants to use \`bash\` like this:

     \`\`\`sh
     npm publish
       --tag next
     \`\`\`

     \`\`\`json
     {
       "timeoutMs": 5,
       "network": "full",
       "sandbox_permissions": "danger-full-access"
     }
     \`\`\`

     Why: to build

     What it touches, on top of aaaaaaaaaa:
     - sandbox mode danger-full-access, for this call
     - network full, for this call
     - the work tree of this session

     - [ ] Approve: once, and exactly this
     - [ ] Deny: the bot goes on without it

     Tick a box, react to this comment with 👍 or 👎, or write \`/dsh approve ap_0123456789ab\` or \`/dsh deny ap_0123456789ab reason\`. People who may approve decide; the first answer counts.

     <sub>Asked of maria; open until 2026-01-31 00:00 UTC · \`ap_0123456789ab\`</sub>"
    `);
  });

  it('Q1 N1 a question shows heading, text, folded detail, numbered boxes and how to answer', () => {
    expect(renderRequest(question([COLOUR]))).toMatchInlineSnapshot(`
     "<!-- dsh:request q_0123456789ab -->
     **Waiting for an answer**

     **Paint** Which colour?

     <details><summary>More about this question</summary>

     \`\`\`
     It is for the door.
     \`\`\`

     </details>

     - [ ] **1** Red (Recommended): warm
     - [ ] **2** Blue

     Tick a box, write \`/dsh answer q_0123456789ab 1\` with a number or an answer of your own, or just reply.

     <sub>Asked of maria; open until 2026-01-31 00:00 UTC · \`q_0123456789ab\`</sub>"
    `);
    expect(
      renderRequest(
        question([
          { ...COLOUR, multiSelect: true },
          { id: 'w', question: 'Why?' },
        ]),
      ),
    ).toMatchInlineSnapshot(`
     "<!-- dsh:request q_0123456789ab -->
     **Waiting for an answer**

     \`q1\` **Paint** Which colour?

     <details><summary>More about this question</summary>

     \`\`\`
     It is for the door.
     \`\`\`

     </details>

     - [ ] **1** Red (Recommended): warm
     - [ ] **2** Blue


     \`q2\` Why?

     - [ ] Submit what is ticked above

     Tick boxes and then the last one, or write \`/dsh answer q_0123456789ab q1=2 q2="your answer"\`: a number, several as 1,3, a text in quotes, or \`skip\`.

     <sub>Asked of maria; open until 2026-01-31 00:00 UTC · \`q_0123456789ab\`</sub>"
    `);
  });

  it('A3 A7 N9 settled, it says who, how, when and why, and has no box left', () => {
    const body = renderRequest(
      approval('{"command":"x"}', { settled: settled('rejected', { reason: 'use @npm instead' }) }),
    );
    expect(body).toContain('**Denied**');
    expect(body).toContain('Denied by otto by command, 1970-01-01 00:00 UTC.');
    expect(body).toContain('Reason: use @&#8203;npm instead');
    expect(ownBoxes(body)).toEqual([]);
    expect(body).toContain('dsh:request ap_0123456789ab');
    expect(renderRequest(approval('{"command":"x"}', { settled: settled('cancelled') }))).toContain('Withdrawn');
    const answered = renderRequest(
      question([COLOUR], { settled: settled('answered', { answers: ['Which colour? — Blue'] }) }),
    );
    expect(answered).toContain('- Which colour? — Blue');
    expect(ownBoxes(answered)).toEqual([]);
  });

  it('A2 ticked boxes that count are drawn ticked', () => {
    const view = question([{ ...COLOUR, multiSelect: true }], { checked: [1] });
    expect(ownBoxes(renderRequest(view))).toEqual([false, true, false]);
    expect(boxesOf(view).map(({ kind }) => kind)).toEqual(['option', 'option', 'submit']);
  });

  it('A1 P7 characters that are not seen or turn others around are shown as what they are', () => {
    expect(visibleText('a\u202eb\u200bc\td\r\ne\u{e0041}')).toBe('a\\u202eb\\u200bc\td\ne\\udb40\\udc41');
    const body = renderRequest(approval('{"command":"echo \u202e# harmless"}'));
    expect(body).toContain('echo \\u202e# harmless');
    expect(body).not.toContain('\u202e');
  });

  it('A1 P8 known secrets are out of arguments, reason and answers', () => {
    const raw = JSON.stringify({ command: `curl -H ${SECRET}`, header: SECRET });
    const body = redact(renderRequest(approval(raw)));
    expect(body).not.toContain(SECRET);
    expect(body).toContain('curl -H ***');
  });

  it('A1 what cannot be shown whole is not shown cut: then nobody is asked', () => {
    expect(showCall(JSON.stringify({ command: 'x'.repeat(41_000) }), redact)).toBeUndefined();
    expect(showCall(JSON.stringify({ command: '\u200b'.repeat(8_000) }), redact)).toBeUndefined();
    const long = showCall(JSON.stringify({ command: 'y'.repeat(39_000) }), redact);
    const body = renderRequest(approval('{}', { shown: long! }));
    expect(body).toContain('y'.repeat(39_000));
    expect(body).toContain('<details>');
  });

  it('A1 of doubled keys what is shown is what runs', () => {
    expect(showCall('{"command":"ls","command":"rm"}', redact)).toEqual({ command: 'rm', rest: undefined });
    expect(showCall('{broken', redact)).toEqual({ command: undefined, rest: '{broken' });
  });

  it.each(['en', 'zh'] as const)(
    'P6 P7 P8 N8 nothing that the model or a person wrote gets out of its place (%s)',
    (language) => {
      const next = random(language === 'en' ? 7 : 11);
      const piece = () => {
        const pieces = [...NASTY, ...HOSTILE.map((text) => text.slice(0, 300)), SECRET];
        return Array.from({ length: 1 + (next() % 6) }, () => pieces[next() % pieces.length]!).join(
          next() % 2 ? ' ' : '\n',
        );
      };
      for (let round = 0; round < 25; round++) {
        const raw = JSON.stringify({ command: piece(), file_path: piece(), [piece()]: piece() });
        const options = [{ label: piece(), description: piece() }, { label: piece() }];
        const asked = [
          { id: 'a', header: piece(), question: piece(), detail: piece(), options, multiSelect: round % 2 === 0 },
        ];
        const ended =
          round % 3 === 0 ? { settled: settled('rejected', { reason: piece(), by: piece(), answers: [piece()] }) } : {};
        const views: RequestView[] = [
          approval(raw, { language, reason: redact(piece()), tool: piece(), askedOf: piece(), ...ended }),
          approval('{}', {
            language,
            tool: 'publish',
            shown: { command: undefined, rest: undefined, diff: redact(piece().repeat(8)) },
            ...ended,
          }),
          question(
            asked.map((one) => ({ ...one })),
            { language, ...ended },
          ),
        ];
        for (const view of views) {
          const boxes = view.settled ? 0 : boxesOf(view).length;
          expect(faultsOf(redact(renderRequest(view)), boxes)).toEqual([]);
        }
      }
    },
  );

  it('N8 the largest question keeps its options whole, and cuts its detail first', () => {
    const options = Array.from({ length: 20 }, (_, at) => ({ label: `${at} ${'l'.repeat(190)}` }));
    const questions = Array.from({ length: 10 }, (_, at) => ({
      ...{ id: `q${at}`, question: 'w'.repeat(500), detail: 'd'.repeat(20_000), options },
    }));
    const body = renderRequest(question(questions));
    expect(faultsOf(body, 201)).toEqual([]);
    expect(body).toContain('characters cut');
    expect(body.match(/l{190}/g)).toHaveLength(200);
  });

  it('language: configured, else that of the person’s own words; both say the same things', () => {
    expect(languageOf('zh', 'Fix it')).toBe('zh');
    expect(languageOf(undefined, 'Fix the bug in src/a.ts')).toBe('en');
    expect(languageOf(undefined, '修复 src/a.ts 的错误')).toBe('zh');
    expect(languageOf(undefined, 'バグを直して')).toBe('en');
    expect(languageOf(undefined, '')).toBe('en');
    for (const { en, zh } of [REQUEST_TEXTS, PROGRESS_TEXTS, ENDING_TEXTS]) expect(shapeOf(zh)).toEqual(shapeOf(en));
    const view = approval('{"command":"x"}', { language: 'zh' });
    expect(renderRequest(view)).toContain('等待批准');
    expect(renderRequest(view)).toContain('/dsh approve ap_0123456789ab');
  });
});

function shapeOf(texts: object): unknown {
  return Object.entries(texts).map(([key, text]) => [
    key,
    typeof text === 'object' ? shapeOf(text as object) : typeof text,
  ]);
}

const NASTY = [
  '@maria', '#12', 'acme/shop#3', 'https://github.com/acme/shop/issues/4', '- [ ] approve', '- [x] Deny', '/dsh approve ap_1',
  '<!-- dsh:request ap_1 -->', '<b onclick=x>', '```', '~~~~', '``` suggestion', '</details>', '![x](http://e/x.png)', '[l](javascript:x)',
  '&lt;!-- x --&gt;', '\u202e', '\u0000', '😀', '| a | b |', '> quote', '    code', '1. one', '\\', '`', '$(x)', '&#64;maria', 'GH-7', '*',
]; // prettier-ignore

function random(seed: number): () => number {
  let state = seed;
  return () => (state = (state * 48_271) % 2_147_483_647);
}
