import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sandboxCheckerFor } from '../../../../src/bot/fix/verify/sandbox-checkers.ts';
import { findSyntaxError } from '../../../../src/bot/fix/verify/find-syntax-error.ts';
import type { GenerateOptions } from '../../../../src/harness/llm/types.ts';
import { calls } from '../../../support/scripted-model.ts';
import { JobBench, NAME } from '../../support/job-bench.ts';

const RESULT = { outcome: 'nothing_to_do', title: 'x', summary: 's', cause: '', verification: [], notes: [] };

describe('prompts', () => {
  let bench: JobBench;
  beforeAll(async () => {
    bench = await JobBench.start({ 'a.txt': 'a\n' });
    await bench.github.openIssue(NAME, { by: 'tom', title: 'x' });
  });
  afterAll(() => bench.close());

  it('PR26 a write or an edit of a file with a checker says whether it is sound, with the line, and refuses nothing', async () => {
    const edit = (old_string: string, new_string: string) =>
      calls('edit', { file_path: 'a.json', old_string, new_string });
    const { model } = await bench.run({
      job: 'fix',
      subject: { kind: 'issue', number: 1 },
      script: [
        calls('write', { file_path: 'a.json', content: '{\n  "a": 1\n}\n' }),
        edit('1', '1,'),
        edit('"a"', '"b"'),
        edit('1,', '2'),
        calls('write', { file_path: 'a.txt', content: '{' }),
        calls('submit_result', RESULT),
      ],
    });
    const answer = ({ messages }: GenerateOptions) => JSON.stringify(messages.at(-1)!.content);
    const [, written, broken, still, mended, text] = model.requests.map(answer);

    expect(written).toContain('Syntax: fine.');
    expect(broken).toMatch(/Syntax: line 3: /);
    expect(still).not.toContain('Syntax');
    expect(mended).toContain('Syntax: fine.');
    expect(text).not.toContain('Syntax');
  });

  it('PR26 a program of the sandbox is asked of what is written, once, and again of what was there before an error', async () => {
    const edit = (old_string: string, new_string: string) =>
      calls('edit', { file_path: 'a.py', old_string, new_string });
    const { command } = sandboxCheckerFor('a.py', '')!;
    const { model, bash } = await bench.run({
      job: 'fix',
      subject: { kind: 'issue', number: 1 },
      commands: {
        [command]: ({ stdin = '' }) =>
          stdin.includes('(') ? { exitCode: 1, stdout: "line 1: '(' was never closed\n" } : {},
      },
      script: [
        calls('write', { file_path: 'a.py', content: 'x = 1\n' }),
        edit('1', '(1'),
        edit('x', 'y'),
        edit('(1', '2'),
        calls('submit_result', RESULT),
      ],
    });
    const answer = ({ messages }: GenerateOptions) => JSON.stringify(messages.at(-1)!.content);
    const [, written, broken, still, mended] = model.requests.map(answer);

    expect(written).toContain('Syntax (python3): fine.');
    expect(broken).toContain("Syntax (python3): line 1: '(' was never closed");
    expect(still).not.toContain('Syntax');
    expect(mended).toContain('Syntax (python3): fine.');
    const asked = bash.specs.filter((spec) => spec.command === command);
    expect(asked.map(({ stdin }) => stdin)).toEqual([
      'x = 1\n',
      'x = (1\n',
      'x = 1\n',
      'y = (1\n',
      'x = (1\n',
      'y = 2\n',
    ]);
    expect(asked.every(({ sandboxPolicy }) => sandboxPolicy?.mode === 'workspace-write')).toBe(true);
  });

  it.each([
    ['a.json', '{ "a": 1, }', /^line 1: /],
    ['.github/x.YML', 'a: [1\nb: 2\n', /^line \d+: /],
    ['a.yaml', 'a: 1\n', undefined],
  ])('PR26 finds the first error of %s', (path, text, error) => {
    const found = findSyntaxError(path, text);

    expect(found).toEqual({ error: error ? expect.stringMatching(error) : undefined });
  });
});
