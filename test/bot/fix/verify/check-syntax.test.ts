import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
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

  it.each([
    ['a.json', '{ "a": 1, }', /^line 1: /],
    ['.github/x.YML', 'a: [1\nb: 2\n', /^line \d+: /],
    ['a.yaml', 'a: 1\n', undefined],
  ])('PR26 finds the first error of %s', (path, text, error) => {
    const found = findSyntaxError(path, text);

    expect(found).toEqual({ error: error ? expect.stringMatching(error) : undefined });
  });
});
