import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { checkInSandbox } from '../../../../src/bot/fix/verify/check-in-sandbox.ts';
import { NOT_HERE, sandboxCheckerFor } from '../../../../src/bot/fix/verify/sandbox-checkers.ts';
import type { Context } from '../../../../src/harness/kernel/context.ts';
import { MemoryBash } from '../../../support/memory-bash.ts';
import type { MemoryScript } from '../../../support/memory-bash.ts';

const folder = mkdtempSync(join(tmpdir(), 'dsh-syntax-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const ran = join(folder, 'ran');

/** Runs the command as it is, on this machine. */
const forReal = (path: string, text: string): MemoryScript => {
  const { command } = sandboxCheckerFor(path, text)!;
  const env = { PATH: `${dirname(process.execPath)}:${process.env['PATH']}`, HOME: folder };
  const { status, stdout, stderr } = spawnSync('bash', ['-c', command], {
    input: text,
    env,
    cwd: folder,
    encoding: 'utf8',
  });
  return { exitCode: status ?? 1, stdout, stderr };
};

/** What the check says when the command ends so. */
async function check(
  path: string,
  text: string,
  script: MemoryScript = forReal(path, text),
  absent = new Set<string>(),
) {
  const command = sandboxCheckerFor(path, text)?.command ?? '';
  const bash = new MemoryBash({ [command]: script }, { mode: 'workspace-write' });
  const place = {
    root: { bash } as unknown as Context,
    policy: undefined,
    signal: new AbortController().signal,
    absent,
  };
  return { found: await checkInSandbox(path, text, place), bash };
}

const has = (program: string) => spawnSync('bash', ['-c', `command -v ${program}`]).status === 0;
const hasToml = has('python3') && spawnSync('python3', ['-c', 'import tomllib']).status === 0;

describe('prompts', () => {
  it.each([
    ['a.py', 'x = 1\n', undefined, 'python3'],
    ['a.py', 'def f():\n    return (1\n', /^line 2: /, 'python3'],
    ['a.js', '#!/usr/bin/env node\nconst a = require("a");\nreturn;\n', undefined, 'node'],
    ['a.js', 'import a from "./nowhere.js";\nawait a;\n', undefined, 'node'],
    ['a.js', 'const a = 1;\nlet b = );\n', /^line 2: Unexpected token '\)'$/, 'node'],
    ['a.mjs', 'export const a = 1;\nexport const a = 2;\n', /^line 2: /, 'node'],
    ['a.cjs', 'module.exports = {;\n', /^line 1: /, 'node'],
    ['a.sh', 'if true; then\n  echo a\nfi\n', undefined, 'bash'],
    ['a.sh', '#!/bin/sh\necho a\nfi\n', /^line 3: syntax error near unexpected token `fi'$/, 'bash'],
    ['a.go', 'package a\n\nfunc f() {\n', /^line 3: expected /, 'gofmt'],
    ['a.xml', '<a>\n<b></a>', /^line 2: mismatched tag$/, 'python3'],
  ])('PR26 %s %j is read by a program of the sandbox', async (path, text, error, program) => {
    if (!has(program)) return expect(program).not.toMatch(/bash|node/);
    const { found } = await check(path, text);

    expect(found).toEqual({ by: program, error: error ? expect.stringMatching(error) : undefined });
  });

  it('PR26 TOML is read where Python knows it, and else not judged', async () => {
    const { found } = await check('pyproject.toml', 'a = 1\nb = \n');

    expect(found).toEqual(
      hasToml ? { by: 'python3', error: expect.stringMatching(/^line 2: Invalid value/) } : 'unknown',
    );
  });

  it.each([
    ['a.rb', 'ruby', '-:3: syntax error, unexpected end-of-input', 'line 3: syntax error, unexpected end-of-input'],
    [
      'a.rb',
      'ruby',
      '-:1: warning: unused literal ignored\n-:3: syntax error found (SyntaxError)',
      'line 3: syntax error found (SyntaxError)',
    ],
    [
      'a.php',
      'php',
      'PHP Parse error:  syntax error, unexpected token "}" in Standard input code on line 7',
      'line 7: syntax error, unexpected token "}"',
    ],
    [
      'a.go',
      'gofmt',
      "<standard input>:2:1: expected declaration, found '}'",
      "line 2: expected declaration, found '}'",
    ],
  ])('PR26 what a checker of %s prints is read', async (path, by, stderr, error) => {
    expect((await check(path, 'x', { exitCode: 1, stderr })).found).toEqual({ by, error });
    expect((await check(path, 'x', {})).found).toEqual({ by, error: undefined });
  });

  it.each([
    ['a.py', `open("${ran}", "w")\nimport os\nos.system("touch ${ran}")\n`],
    ['a.js', `require("fs").writeFileSync("${ran}", "");\n`],
    ['a.mjs', `import { writeFileSync } from "fs";\nwriteFileSync("${ran}", "");\n`],
    ['a.sh', `touch "${ran}"\n$(touch "${ran}")\n: > "${ran}"\n`],
  ])('PR26 %s is never run', async (path, text) => {
    const { found } = await check(path, text);

    expect(found).toMatchObject({ error: undefined });
    expect(existsSync(ran)).toBe(false);
  });

  it('PR26 no code of the repository is loaded by the checker: neither its modules nor what the environment preloads', async () => {
    writeFileSync(join(folder, 'ast.py'), `open("${ran}", "w")`);

    expect((await check('a.py', 'x = 1\n')).found).toMatchObject({ error: undefined });
    expect(sandboxCheckerFor('a.js', '')!.command).toContain('-u NODE_OPTIONS');
    expect(existsSync(ran)).toBe(false);
  });

  it('PR26 says nothing where the program is missing, is too slow, or prints what it should not, and asks once for what is missing', async () => {
    const absent = new Set<string>();
    const missing = await check('a.py', 'x', { exitCode: NOT_HERE }, absent);
    const again = await check('a.py', 'x', { exitCode: 0 }, absent);
    const slow = await check('a.py', 'x', { signal: 'SIGTERM' });
    const odd = await check('a.py', 'x', { exitCode: 1, stderr: 'Segmentation fault' });

    expect([missing, again, slow, odd].map(({ found }) => found)).toEqual(['unknown', 'unknown', 'unknown', 'unknown']);
    expect(again.bash.specs).toEqual([]);
    expect(slow.bash.specs[0]!.timeoutMs).toBe(2_000);
  });

  it('PR26 options that a script gives its interpreter are not taken: with `-r` Ruby would run a file of the tree', async () => {
    const { bash } = await check('a.rb', '#!/usr/bin/env ruby -r./evil\nputs 1\n', {});

    expect(bash.specs[0]!.stdin).toBe('#\nputs 1\n');
  });

  it.each(['const a = await f();\n', 'for await (const a of b) c(a);\n', 'console.log(import.meta.url);\n'])(
    'PR26 a module that imports nothing is not taken for a broken script: %j',
    async (text) => {
      expect((await check('a.js', text)).found).toBe('unknown');
    },
  );

  it('PR26 says nothing of a dialect that the program cannot read, nor of a language whose checker runs code', async () => {
    expect((await check('a.js', 'const a = <b>c</b>;\n')).found).toBe('unknown');
    expect((await check('a.js', 'class A {\n  @tracked b = 1;\n}\n')).found).toBe('unknown');
    expect(sandboxCheckerFor('a.pl', 'x')).toBeUndefined();
    expect(sandboxCheckerFor('a.sh', '#!/bin/zsh\n')).toBeUndefined();
  });
});
