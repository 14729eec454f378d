import { describe, expect, it } from '@jest/globals';
import { timeOf } from '../support/hostile-markdown.ts';
import { BODY_MAX, assembleBody, strictLength } from '../../../src/publish/markdown/body.ts';

const isWellFormed = (text: string) => text.isWellFormed();

describe('bot-human-loop', () => {
  it('P6 F1 leaves short bodies as they are', () => {
    expect(
      assembleBody([
        { kind: 'markdown', text: 'a' },
        { kind: 'said', text: 'b' },
      ]),
    ).toBe('a\n\nb');
  });

  it('P6 F1 cuts the longest folded part in its middle first, and says so', () => {
    const log = Array.from({ length: 20_000 }, (_, i) => `line ${i}`).join('\n');

    const body = assembleBody([
      { kind: 'said', text: 'the result' },
      { kind: 'folded', summary: 'log', text: log },
    ]);

    expect(strictLength(body)).toBeLessThanOrEqual(BODY_MAX);
    expect(body).toContain('the result');
    expect(body).toContain('line 0\n');
    expect(body).toContain('line 19999');
    expect(body).toMatch(/\d+ characters cut/);
    expect(body.match(/```/g)).toHaveLength(2);
    expect(body.endsWith('</details>')).toBe(true);
  });

  it.each([
    ['200,000 letters', 'x'.repeat(200_000)],
    ['66,000 emoji', '😀'.repeat(66_000)],
    ['a fence of 64 KB', `\`\`\`\n${'y'.repeat(65_000)}\n\`\`\``],
    ['newlines only', '\n'.repeat(70_000) + 'z'],
  ])('P6 F1 bounds %s of model text', (_, text) => {
    const body = assembleBody([
      { kind: 'said', text },
      { kind: 'markdown', text: '<!-- mark -->' },
    ]);

    expect(strictLength(body)).toBeLessThanOrEqual(BODY_MAX);
    expect(body).toContain('<!-- mark -->');
    expect(isWellFormed(body)).toBe(true);
    expect((body.match(/```/g) ?? []).length % 2).toBe(0);
  });

  it('P6 F1 four million characters of model text cost less than half a second', () => {
    const text = 'some *words* of it and @tom\n\n'.repeat(140_000);
    let body = '';

    expect(timeOf(() => (body = assembleBody([{ kind: 'said', text }])))).toBeLessThan(500);
    expect(strictLength(body)).toBeLessThanOrEqual(BODY_MAX);
    expect(body).toContain('cut here');
  });

  it('P6 never splits a surrogate pair in a folded part', () => {
    const body = assembleBody([{ kind: 'folded', summary: 'x', text: 'a' + '😀'.repeat(60_000) }]);

    expect(isWellFormed(body)).toBe(true);
  });

  it('P6 of many short parts the last go, our own stay, and it says so', () => {
    const parts = Array.from(
      { length: 2_000 },
      (_, i) => ({ kind: 'said', text: `part ${i} ${'x'.repeat(100)}` }) as const,
    );

    const body = assembleBody([...parts, { kind: 'markdown', text: '<!-- mark -->' }]);

    expect(strictLength(body)).toBeLessThanOrEqual(BODY_MAX);
    expect(strictLength(body)).toBeGreaterThan(BODY_MAX - 8_000);
    expect(body).toContain('part 0 ');
    expect(body).toMatch(/parts left out here[^\n]*\n\n<!-- mark -->$/);
  });
});
