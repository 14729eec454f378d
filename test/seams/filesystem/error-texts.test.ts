import { describe, expect, it } from '@jest/globals';
import { explainMismatch } from '../../../src/seams/filesystem/edit-mismatch.ts';
import { rankPaths } from '../../../src/seams/filesystem/nearest-paths.ts';
import { fileBench } from './file-bench.ts';

const code = `function area(width, height) {
  const result = width * height;
  if (result < 0) {
    throw new Error('negative');
  }
  return result;
}
`;

async function failedEdit(old_string: string, new_string = 'something else', text = code) {
  const { bench } = await fileBench({ 'src/area.js': text });
  await bench.text('read', { file_path: 'src/area.js' });
  return bench.failure('edit', { file_path: 'src/area.js', old_string, new_string });
}

describe('prompts', () => {
  it.each<[string, string, RegExp]>([
    ['copied line numbers', '2:   const result = width * height;\n3:   if (result < 0) {', /line numbers were copied/],
    ['tabs for blanks', "\tif (result < 0) {\n\t\tthrow new Error('negative');", /tabs and blanks were exchanged/],
    ['other indentation', "if (result < 0) {\n  throw new Error('negative');", /the indentation differs/],
    ['trailing blanks', '  const result = width * height;  \n  if (result < 0) {', /blanks at the end of lines differ/],
    ['escaped newlines', '  return result;\\n}', /escaped with a backslash/],
  ])('PR28 recognises %s in an edit that does not fit', async (_what, oldString, cause) => {
    const { text, code: errorCode } = await failedEdit(oldString);

    expect(errorCode).toBe('FS_EDIT_NOT_FOUND');
    const [first = '', ...help] = text.split('\n');
    expect(first).toMatch(/^Error: old_string was not found in src\/area\.js: .* — /);
    expect(first).toMatch(cause);
    expect(help.length).toBeGreaterThan(0);
    for (const line of help) {
      const [, number, shown] = /^(\d+): (.*)$/.exec(line) ?? [];
      expect(code.split('\n')[Number(number) - 1]).toBe(shown);
    }
  });

  it('PR28 recognises an edit that was already applied', async () => {
    const { text } = await failedEdit('  const product = width * height;', '  const result = width * height;');

    expect(text).toMatch(/already there/);
  });

  it('PR28 shows the most similar region and nothing that is less than 60 % alike', async () => {
    const near = await failedEdit("  if (result <= 0) {\n    throw new Error('negative area');\n  }");
    const far = await failedEdit('import { readFile } from "node:fs";\nexport default 42;');

    expect(near.text.split('\n').slice(1)).toEqual([
      '3:   if (result < 0) {',
      "4:     throw new Error('negative');",
      '5:   }',
    ]);
    expect(far.text.split('\n')).toEqual([
      'Error: old_string was not found in src/area.js — read the file and copy the text exactly',
    ]);
  });

  it('PR28 shows at most 20 lines of a region, also in a huge file', () => {
    const lines = Array.from({ length: 60_000 }, (_, index) => `value ${index} of the table`);
    const wanted = lines.slice(40_000, 40_050).map((line) => `  ${line}`);

    const { region, cause } = explainMismatch(lines.join('\n'), wanted.join('\n'), 'x');

    expect(cause).toBe('the indentation differs');
    expect(region).toHaveLength(20);
    expect(region[0]).toBe('40001: value 40000 of the table');
  });

  it('PR28 lists the lines of up to ten places of an ambiguous edit', async () => {
    const text = Array.from({ length: 14 }, (_, index) => `return;\n// ${index}\n`).join('');

    const failure = await failedEdit('return;', 'x', text);

    expect(failure).toEqual({
      code: 'FS_AMBIGUOUS_EDIT',
      text: 'Error: old_string occurs 14 times in src/area.js, at lines 1, 3, 5, 7, 9, 11, 13, 15, 17, 19 and further ones — add lines around the one you mean, or set replace_all',
    });
  });

  it('PR28 answers a wrong path with the nearest ones', async () => {
    const { bench } = await fileBench({
      'src/models/user.ts': 'x',
      'test/user.ts': 'x',
      'src/usr.ts': 'x',
      'node_modules/a/user.ts': 'x',
      'README.md': 'x',
    });

    const { text, code: errorCode } = await bench.failure('read', { file_path: 'src/user.ts' });

    expect(errorCode).toBe('FS_NOT_FOUND');
    expect(text.split('\n')).toEqual([
      'Error: src/user.ts does not exist — did you mean one of these?',
      'src/models/user.ts',
      'test/user.ts',
      'src/usr.ts',
    ]);
    expect((await bench.failure('read', { file_path: 'zzz.qqq' })).text).toMatch(/find the file with glob$/);
  });

  it('PR28 ranks at most five paths and knows no prototype', () => {
    const paths = Array.from({ length: 9 }, (_, index) => `d${index}/a.ts`);

    expect(rankPaths('a.ts', paths)).toHaveLength(5);
    expect(rankPaths('constructor', paths)).toEqual([]);
  });

  it.each([
    ['a directory', { file_path: 'src' }, 'FS_NOT_REGULAR_FILE', 'list it with glob'],
    ['binary content', { file_path: 'bin' }, 'FS_NOT_TEXT', 'is not text'],
  ])('PR28 names the next step for %s', async (_what, args, errorCode, step) => {
    const { bench } = await fileBench({ 'src/a.ts': 'x', bin: 'a\0b' });

    const failure = await bench.failure('read', args);

    expect(failure.code).toBe(errorCode);
    expect(failure.text).toContain(step);
  });

  it.each([
    [{ old_string: '', new_string: 'x' }, 'old_string is empty'],
    [{ old_string: 'x', new_string: 'x' }, 'are equal'],
  ])('PR28 refuses an edit of %j', async (args, text) => {
    const { bench } = await fileBench({ 'a.txt': 'x' });

    expect((await bench.failure('edit', { file_path: 'a.txt', ...args })).text).toContain(text);
  });
});

describe('filesystem', () => {
  it('N5 tells to read what was not read or has changed, and speaks of resumes', async () => {
    const { bench, fs } = await fileBench({ 'a.txt': 'one' });
    const edit = { file_path: 'a.txt', old_string: 'one', new_string: 'two' };

    const unread = await bench.failure('edit', edit);
    await bench.text('read', { file_path: 'a.txt' });
    fs.put('a.txt', 'one!');
    const changed = await bench.failure('edit', edit);

    expect(unread.text).toBe(
      'Error: a.txt exists and you have not read it (after a resume earlier reads do not count) — read it, then repeat the edit',
    );
    expect(changed.text).toBe('Error: a.txt has changed since you read it — read it again, then repeat the edit');
  });
});
