import { describe, expect, it } from '@jest/globals';
import { pathsOf, ruleFor } from '../../../../src/bot/people/ask/approval-rules.ts';
import { judgePublication } from '../../../../src/bot/people/answer/judge-publication.ts';
import { touchesOf } from '../../../../src/bot/people/ask/show-call.ts';
import { checkRepositoryConfig } from '../../../../src/config/check-repository-config.ts';
import { ConfigFile } from '../../../../src/config/config-file.ts';
import { mergeConfig } from '../../../../src/config/merge-config.ts';
import type { ApprovalRule } from '../../../../src/config/config-file.ts';
import type { TreeChange } from '../../../../src/github/tree/types.ts';

const bash = (command: string) => ({ tool: 'bash', arguments: JSON.stringify({ command, timeoutMs: 1 }), paths: [] });
const edit = (path: string) => {
  const raw = JSON.stringify({ file_path: path });
  return { tool: 'edit', arguments: raw, paths: pathsOf(raw) };
};
const change = (path: string) => ({ kind: 'modified', path }) as TreeChange;
const pathsIn = ({ asked, denied }: ReturnType<typeof judgePublication>) => ({
  asked: asked.map(({ path }) => path),
  denied: denied.map(({ path }) => path),
});

describe('bot-human-loop', () => {
  it('A6 the first rule that fits decides: by tool, by arguments, by path', () => {
    const rules: ApprovalRule[] = [
      { tool: 'bash', arguments: 'npm publish*', then: 'deny' },
      { tool: 'bash', arguments: 'npm *', then: 'allow' },
      { tool: 'b*', then: 'ask' },
      { path: 'src/**', then: 'allow' },
      { tool: 'edit', then: 'ask' },
    ];
    expect(ruleFor(rules, bash('npm publish --tag x'))).toBe('deny');
    expect(ruleFor(rules, bash('npm test\nrm -rf x'))).toBe('allow');
    expect(ruleFor(rules, bash('ls npm test'))).toBe('ask');
    expect(ruleFor(rules, edit('/workspace/src/a/b.ts'))).toBe('allow');
    expect(ruleFor(rules, edit('test/a.ts'))).toBe('ask');
    expect(ruleFor(rules, { tool: 'read', arguments: '{}', paths: [] })).toBeUndefined();
    expect(ruleFor([{ tool: 'bash', arguments: '*"timeoutMs":1*', then: 'ask' }], bash('x'))).toBe('ask');
  });

  it('A6 a pattern is no regular expression', () => {
    expect(ruleFor([{ arguments: 'a.c (x)*', then: 'deny' }], bash('a.c (x) y'))).toBe('deny');
    expect(ruleFor([{ arguments: 'a.c', then: 'deny' }], bash('abc'))).toBeUndefined();
  });

  it('A6 of a publication: workflows, actions, our own settings, and everything of more than 200 files', () => {
    const paths = [
      '.github/workflows/ci.yml',
      '.github/actions/a/action.yml',
      '.github/dsh.yml',
      '.github',
      '.github/CODEOWNERS',
      'src/dsh.yml',
    ];
    expect(pathsIn(judgePublication(paths.map(change), [])).asked).toEqual(paths.slice(0, 4));
    const many = Array.from({ length: 201 }, (_, at) => change(`f${at}`));
    expect(judgePublication(many, []).asked).toHaveLength(201);
    expect(judgePublication(many.slice(1), []).asked).toEqual([]);
  });

  it('A6 rules decide over paths of a publication, too', () => {
    const rules: ApprovalRule[] = [
      { tool: 'publish', path: 'secrets/**', then: 'deny' },
      { tool: 'publish', path: 'docs/**', then: 'ask' },
      { tool: 'publish', path: '.github/workflows/**', then: 'allow' },
    ];
    const changes = ['secrets/a', 'docs/b', '.github/workflows/c.yml', 'src/d'].map(change);
    expect(pathsIn(judgePublication(changes, rules))).toEqual({ asked: ['docs/b'], denied: ['secrets/a'] });
  });

  it('A6 a repository may ask and deny more, and allow nothing that its operator does not', () => {
    const rules = (then: ApprovalRule['then']) => ConfigFile.parse({ approval: { rules: [{ tool: 'bash', then }] } });
    const none = mergeConfig();
    expect(() => checkRepositoryConfig(rules('ask'), none, [])).not.toThrow();
    expect(() => checkRepositoryConfig(rules('deny'), none, [])).not.toThrow();
    expect(() => checkRepositoryConfig(rules('allow'), none, [])).toThrow(/approval\.rules/);
    expect(() => checkRepositoryConfig(rules('allow'), none, ['approval.rules'])).not.toThrow();
    expect(() => checkRepositoryConfig(rules('ask'), mergeConfig(rules('deny')), [])).toThrow(/approval\.rules/);
    const fourEyes = ConfigFile.parse({ approval: { fourEyes: true } });
    const two = ConfigFile.parse({ approval: { fourEyes: false } });
    expect(() => checkRepositoryConfig(two, mergeConfig(fourEyes), [])).toThrow(/approval\.fourEyes/);
    expect(() => checkRepositoryConfig(fourEyes, none, [])).not.toThrow();
    const longer = ConfigFile.parse({ approval: { timeoutMs: 2 * 86_400_000 } });
    expect(() => checkRepositoryConfig(longer, none, [])).toThrow(/approval\.timeoutMs/);
  });

  it('A1 what a call touches is read off its arguments', () => {
    const raw = '{"file_path":"/workspace/a.ts","sandbox_permissions":"danger-full-access","network":"full"}';
    expect(touchesOf(raw)).toEqual([
      'file a.ts',
      'sandbox mode danger-full-access, for this call',
      'network full, for this call',
      'the work tree of this session',
    ]);
    expect(touchesOf('broken')).toEqual(['the work tree of this session']);
  });
});
