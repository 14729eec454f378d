import { describe, expect, it } from '@jest/globals';
import { provenSuggestion } from '../../../src/publish/review/prove-suggestion.ts';
import { commentBody } from '../../../src/publish/review/review-comment.ts';
import { found } from '../support/one-pull.ts';

/** Whether a suggestion for line `line` of the file is kept. */
function isKept(path: string, lines: readonly string[], line: number, suggestion: string): boolean {
  const finding = found({ path, startLine: line, endLine: line, code: lines[line - 1]!, suggestion });
  const place = { path, side: 'RIGHT' as const, startLine: line, endLine: line };
  const headFile = () => `${lines.join('\n')}\n`;
  return provenSuggestion({ finding, place, moved: false }, { headFile }) !== undefined;
}

const JSON_FILE = ['{', '  "a": 1,', '  "b": [2]', '}'];
const YAML_FILE = ['on:', '  push:', '    branches: [main]'];
const CODE = ['function f(a) {', '  if (a) return [a];', '  return "}";', '}'];

describe('bot-review', () => {
  it.each([
    ['JSON that stays JSON', 'a.json', JSON_FILE, 2, '  "a": 12,', true],
    ['JSON with a comma too few', 'a.json', JSON_FILE, 2, '  "a": 12', false],
    ['JSON that was none before', 'tsconfig.json', ['{ // why', '  "a": 1,', '}'], 2, '  "a": 2,', true],
    ['YAML that stays YAML', 'a.yml', YAML_FILE, 3, '    branches: [main, dev]', true],
    ['YAML with a bracket left open', 'a.yml', YAML_FILE, 3, '    branches: [main', false],
    ['code that closes what it opens', 'a.js', CODE, 2, '  if (a) return [a, a];', true],
    ['code with a brace more', 'a.go', CODE, 2, '  if (a) { return [a];', false],
    ['code that lost one', 'a.py', CODE, 2, '  if (a) return [a;', false],
    ['code with a bracket in a text only', 'a.js', CODE, 3, '  return "}}(";', true],
    ['prose, where a bracket means nothing', 'a.md', ['See (1).', 'b'], 1, 'See 1).', true],
  ] as const)('R4 E5 %s', (_, path, lines, line, suggestion, kept) => {
    expect(isKept(path, lines, line, suggestion)).toBe(kept);
  });

  it('R4 a suggestion of nothing takes the lines away, one of an empty line leaves one', () => {
    const place = { path: 'src/a.js', side: 'RIGHT' as const, startLine: 1, endLine: 1 };
    const body = (suggestion: string) => {
      const finding = found({ startLine: 1, endLine: 1, code: 'a', suggestion });
      return commentBody({ finding, place, moved: false }, 'id', { headFile: () => 'a\nb\n' });
    };

    expect(body('')).toContain('```suggestion\n```');
    expect(body('\n')).toContain('```suggestion\n\n```');
  });

  it('R4 a suggestion for lines of two hunks, or for removed ones, is dropped', () => {
    const finding = found({ startLine: 1, endLine: 2, code: 'a\nb', suggestion: 'c' });
    const head = { headFile: () => 'a\nb\n' };
    const place = { path: 'src/a.js', side: 'RIGHT' as const, startLine: 1, endLine: 2 };

    expect(provenSuggestion({ finding, place, moved: false }, head)).toBe('c');
    expect(provenSuggestion({ finding, place: { ...place, startLine: 2 }, moved: false }, head)).toBeUndefined();
    expect(provenSuggestion({ finding, place: { ...place, side: 'LEFT' }, moved: false }, head)).toBeUndefined();
    expect(provenSuggestion({ finding, place, moved: true }, head)).toBeUndefined();
  });
});
