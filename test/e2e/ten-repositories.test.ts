import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { FileChange } from '../../src/demo/github/git/import-commit.ts';
import { calls, callsAll } from '../../src/demo/model/reply.ts';
import type { Reply } from '../../src/demo/model/reply.ts';
import { viaApp } from './support/hosts.ts';
import { botComments, branchesOf, gitOf, pullsOf } from './support/look.ts';
import { run, submit } from './support/small-repository.ts';
import { openStage } from './support/stage.ts';
import type { Stage } from './support/stage.ts';

/** Repositories of many kinds, and a model that errs as real ones do before it gets there. */
let stage: Stage;

beforeAll(async () => {
  stage = await openStage();
});
afterAll(async () => {
  expect(await stage.close()).toEqual([]);
});

const edit = (file_path: string, old_string: string, new_string: string) =>
  calls('edit', { file_path, old_string, new_string });
const read = (file_path: string) => calls('read', { file_path });

/** What goes wrong on the way: a path that is not there, a tool that is not there, broken arguments, output without end. */
const SLIPS: readonly Reply[] = [
  read('src/no-such-file.js'),
  callsAll([
    { name: 'open_file', arguments: '{"path":"x"}' },
    { name: 'bash', arguments: '{"command": "ls",' },
  ]),
  run('yes | head -c 3000000'),
];

/** In tokens, of an ordinary issue: instructions and tools are most of it. */
const LARGEST_FIRST_REQUEST = 6_000;
const CHARS_PER_TOKEN = 4;

const checked = (command: string) => `verify:\n  commands: ['${command}']\n  rounds: 2\n`;

interface Case {
  readonly files: Record<string, FileChange>;
  readonly script: readonly Reply[];
  /** Paths of the published commit, as `mode path`, and what some of them hold, as latin1. */
  readonly changed: Record<string, { mode?: string; bytes?: string } | undefined>;
}

const PRICE_TEST =
  "import test from 'node:test';\nimport assert from 'node:assert/strict';\nimport { price } from '../src/price.js';\ntest('price', () => assert.equal(price(2), 4));\n";

const CASES: Record<string, Case> = {
  javascript: {
    files: {
      'package.json': '{ "type": "module", "scripts": { "test": "node --test" } }\n',
      'src/price.js': 'export const price = (n) => n + 1;\n',
      'test/price.test.js': PRICE_TEST,
    },
    script: [
      edit('src/price.js', 'n + 1', 'n * 3'), // not read yet: refused
      read('src/price.js'),
      edit('src/price.js', 'n+1', 'n*2'), // not the text as it stands
      edit('src/price.js', 'n + 1', 'n * 3'),
      submit(), // the tests fail, and it comes back
      edit('src/price.js', 'n * 3', 'n * 2'),
      submit(),
    ],
    changed: { 'src/price.js': { bytes: 'export const price = (n) => n * 2;\n' } },
  },
  python: {
    files: {
      '.github/dsh.yml': checked('python3 check.py'),
      '.gitignore': '__pycache__/\n',
      'check.py': 'from tax import tax\nassert tax(10) == 2, tax(10)\n',
      'tax.py': 'def tax(n):\n    return n // 10\n',
    },
    script: [read('tax.py'), edit('tax.py', 'n // 10', 'n // 5'), run('python3 check.py'), submit()],
    changed: { 'tax.py': { bytes: 'def tax(n):\n    return n // 5\n' } },
  },
  c: {
    files: {
      '.github/dsh.yml': checked('grep -q "return 0;" main.c'),
      'main.c': 'int main(void) {\n\treturn 1;\n}\n',
    },
    script: [
      read('main.c'),
      edit('main.c', '    return 1;', '    return 0;'),
      edit('main.c', '\treturn 1;', '\treturn 0;'),
      submit(),
    ],
    changed: { 'main.c': { bytes: 'int main(void) {\n\treturn 0;\n}\n' } },
  },
  monorepo: {
    files: {
      'package.json': '{ "private": true, "workspaces": ["packages/*"], "scripts": { "test": "node --test" } }\n',
      'packages/a/package.json': '{ "name": "a", "type": "module" }\n',
      'packages/a/index.js': 'export const a = 1;\n',
      'packages/b/package.json': '{ "name": "b", "type": "module" }\n',
      'packages/b/b.test.js':
        "import test from 'node:test';\nimport assert from 'node:assert/strict';\nimport { a } from '../a/index.js';\ntest('a', () => assert.equal(a, 2));\n",
    },
    script: [read('packages/a/index.js'), edit('packages/a/index.js', 'a = 1', 'a = 2'), submit()],
    changed: { 'packages/a/index.js': { bytes: 'export const a = 2;\n' } },
  },
  crlf: {
    files: {
      '.github/dsh.yml': checked('grep -q two notes.txt'),
      'notes.txt': 'one\r\nTWO\r\nthree',
      '.gitattributes': '* text eol=lf\n',
    },
    script: [read('notes.txt'), edit('notes.txt', 'one\nTWO', 'one\ntwo'), submit()],
    changed: { 'notes.txt': { bytes: 'one\r\ntwo\r\nthree' } },
  },
  'non-utf-8': {
    files: {
      '.github/dsh.yml': checked('grep -qa new latin1.txt'),
      'latin1.txt': new Uint8Array([0x67, 0x72, 0xfc, 0x6e, 0x0a, 0x6f, 0x6c, 0x64, 0x0a]),
    },
    script: [read('latin1.txt'), run("LC_ALL=C sed -i 's/old/new/' latin1.txt"), submit()],
    changed: { 'latin1.txt': { bytes: 'gr\xfcn\nnew\n' } },
  },
  submodule: {
    files: {
      '.github/dsh.yml': checked('grep -q b a.txt'),
      'a.txt': 'a\n',
      '.gitmodules': '[submodule "lib"]\n\tpath = vendor/lib\n\turl = https://elsewhere.example/lib.git\n',
      'vendor/lib': { mode: '160000', content: 'a'.repeat(40) },
    },
    script: [run('ls vendor/lib; echo x > vendor/lib/planted; echo b > a.txt'), submit()],
    changed: { 'a.txt': { bytes: 'b\n' } },
  },
  symlinks: {
    files: {
      '.github/dsh.yml': checked('test -L new-link'),
      'real.txt': 'real\n',
      link: { mode: '120000', content: 'real.txt' },
      outside: { mode: '120000', content: '/etc/hostname' },
    },
    script: [
      calls('write', { file_path: 'outside', content: 'planted' }), // leads out of the tree
      run('ln -s ../elsewhere new-link && ln -sfn other.txt link'),
      submit(),
    ],
    changed: { 'new-link': { mode: '120000', bytes: '../elsewhere' }, link: { mode: '120000', bytes: 'other.txt' } },
  },
  'exec-bits': {
    files: {
      '.github/dsh.yml': checked('./tool.sh'),
      'tool.sh': { mode: '100644', content: '#!/bin/sh\nexit 0\n' },
      'plain.sh': { mode: '100755', content: '#!/bin/sh\n' },
    },
    script: [run('chmod +x tool.sh; chmod -x plain.sh; rm -f none'), submit()],
    changed: { 'tool.sh': { mode: '100755' }, 'plain.sh': { mode: '100644' } },
  },
};

async function ask(name: string, files: Record<string, FileChange> | undefined, script: readonly Reply[]) {
  await stage.github.addRepository({ owner: 'acme', name, ...(files && { files }) });
  const repo = `acme/${name}`;
  stage.github.addCollaborator(repo, 'maria', 'write');
  const { number } = await stage.github.openIssue(repo, { by: 'tom', title: 'It is wrong', body: 'Please mend it.' });
  stage.play(script);
  const { handled } = await viaApp(stage, () => stage.github.comment(repo, number, { by: 'maria', body: '/dsh fix' }));
  return { repo, number, outcome: handled.at(-1)?.outcome, pull: pullsOf(stage, repo).at(-1) };
}

describe('bot-fix', () => {
  it.each(Object.entries(CASES))(
    'U1 F2 PR11 %s: the right pull request from a small first request, whatever the model did wrong on the way',
    async (name, { files, script, changed }) => {
      const before = stage.model.requests.length;
      const { repo, outcome, pull } = await ask(name, files, [...SLIPS, ...script]);

      expect(stage.model.requests[before]!.raw.length / CHARS_PER_TOKEN).toBeLessThan(LARGEST_FIRST_REQUEST);

      expect(outcome).toMatchObject({ status: 'completed', produced: { kind: 'pull-request', draft: false } });
      expect(pull!.body).toContain('passed');
      const branch = pull!.pull!.head.ref;
      const listed = await gitOf(stage, repo, 'diff-tree', '-r', '--raw', '--no-renames', 'main', branch);
      expect(
        listed
          .split('\n')
          .map((line) => line.split('\t')[1])
          .sort(),
      ).toEqual(Object.keys(changed).sort());
      for (const [path, expected] of Object.entries(changed)) {
        const [mode] = (await gitOf(stage, repo, 'ls-tree', branch, path)).split(' ');
        if (expected?.mode) expect(`${path} ${mode}`).toBe(`${path} ${expected.mode}`);
        if (expected?.bytes === undefined) continue;
        const bytes = await stage.github.state
          .git(stage.github.state.findRepository(repo)!)
          .run(['cat-file', 'blob', `${branch}:${path}`]);
        expect(bytes.toString('latin1')).toBe(expected.bytes);
      }
      await gitOf(stage, repo, 'fsck', '--strict', '--no-dangling', branch);
    },
  );

  it('C5 I10 empty: the right refusal', async () => {
    const { repo, number, outcome } = await ask('empty', undefined, [submit()]);

    expect(outcome).toMatchObject({ status: 'failed', problem: { code: 'REPOSITORY_EMPTY' } });
    expect(await branchesOf(stage, repo)).toEqual([]);
    expect(botComments(stage, { repo, number }).at(-1)?.body).toContain('has no commit yet');
  });
});
