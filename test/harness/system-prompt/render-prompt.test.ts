import { describe, expect, it } from '@jest/globals';
import { renderPrompt } from '../../../src/harness/system-prompt/render-prompt.ts';

function render(texts: string | string[], variables: Record<string, string | undefined> = {}): string {
  const sections = [texts].flat().map((text, i) => ({ name: `s${i}`, text }));
  return renderPrompt({ sections, tools: [], variables });
}

describe('system-prompt', () => {
  it('P17 sections are filled in, empty ones dropped, the rest joined by one blank line', () => {
    expect(render(['a', '', '{{x}}', '{{y}}b'], { x: '', y: 'c' })).toBe('a\n\ncb');
    expect(render(['', '{{x}}'], { x: '' })).toBe('');
    expect(render([])).toBe('');
  });

  it.each([
    ['{{model}}', {}, 'registered: (none)'],
    ['{{model}}', { provider: 'p', cwd: undefined }, 'registered: provider, cwd'],
    ['{{cwd}}', { cwd: undefined }, 'has no value'],
    ['{{ model }}', { model: 'm' }, 'no variable name'],
    ['{{}}', { model: 'm' }, 'no variable name'],
    ['{{a-b}}', {}, 'no variable name'],
  ])('P18 %p with %p is an error', (text, variables, message) => {
    expect(() => render(text, variables)).toThrow(message);
    expect(() => render(text, variables)).toThrow('"s0"');
  });

  it.each(['{{{model}}}', '{{a{b}}', 'x {{ y { z }} {{model}}', '{{model', '{{\n{ }}'])(
    'P19 %p is an error as soon as some }} follows',
    (text) => {
      const closed = text.includes('}}') ? text : `${text} {{model}}`;

      expect(() => render(closed, { model: 'm' })).toThrow('opens no complete {{name}}');
    },
  );

  it.each([
    ['if (x) {{ return', 'if (x) {{ return'],
    ['{{model}} and {{ open', 'm and {{ open'],
    ['a }} b', 'a }} b'],
    ['{{model}}}', 'm}'],
    ['{ {model} }', '{ {model} }'],
  ])('P19 %p has nothing left open', (text, expected) => {
    expect(render(text, { model: 'm' })).toBe(expected);
  });

  it('P20 only own properties count, and inserted values are not scanned', () => {
    expect(() => render('{{constructor}}')).toThrow('not registered');
    expect(render('{{constructor}}', { constructor: 'own' } as never)).toBe('own');
    expect(render('{{a}}-{{b}}', { a: '{{b}}', b: '$&' })).toBe('{{b}}-$&');
  });
});
