import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { runInit } from '../../src/cli/init/run-init.ts';
import { readIdentity } from '../../src/cli/identity.ts';
import { schemaUrl } from '../../src/config/config-schema.ts';
import { DEFAULT_CONFIG } from '../../src/config/default-config.ts';
import { mergeConfig } from '../../src/config/merge-config.ts';
import { readConfigFile } from '../../src/config/read-config-file.ts';
import { runDsh } from '../e2e/support/run-dsh.ts';

const SETTINGS = '.github/dsh.yml';
const WORKFLOW = '.github/workflows/dsh.yml';
let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'dsh-init-'));
  await mkdir(join(root, '.git'));
});
afterEach(() => rm(root, { recursive: true, force: true }));

const written = (path: string) => readFile(join(root, path), 'utf8');
async function init(cwd = root) {
  const lines: string[] = [];
  let result: unknown;
  await runInit(cwd, { say: (line) => void lines.push(line), result: (value) => void (result = value) });
  return { lines, result };
}

interface Workflow {
  on: Record<string, { types: string[] }>;
  concurrency: Record<string, unknown>;
  permissions: Record<string, string>;
  jobs: { dsh: { if: string; steps: { uses?: string }[] } };
}

describe('bot-hosts', () => {
  describe('dsh init', () => {
    it('H12 writes a workflow that loses no comment: one group for each subject, nothing is cancelled, and all of it waits in line', async () => {
      await init();
      const workflow = parse(await written(WORKFLOW)) as Workflow;

      expect(workflow.on['issue_comment']).toEqual({ types: ['created', 'edited'] });
      expect(workflow.concurrency).toEqual({
        group: 'dsh-${{ github.event.issue.number || github.event.pull_request.number }}',
        'cancel-in-progress': false,
        queue: 'max',
      });
      expect(workflow.permissions).toMatchObject({
        contents: 'write',
        issues: 'write',
        'pull-requests': 'write',
        checks: 'write',
      });
      const { version } = readIdentity();
      const used = workflow.jobs.dsh.steps.flatMap(({ uses }) => uses ?? []);
      expect(used.at(-1)).toBe(`dsh-github/dsh-github@v${version}`);
      expect(used.every((name) => /@(v[\d.]+|[0-9a-f]{40})$/.test(name))).toBe(true);
    });

    it('writes settings that are the defaults, with the schema that editors check them by', async () => {
      await init();
      const text = await written(SETTINGS);
      expect(mergeConfig(readConfigFile(text, SETTINGS))).toEqual(DEFAULT_CONFIG);
      expect(text.split('\n')[0]).toBe(`# yaml-language-server: $schema=${schemaUrl(readIdentity().version)}`);
      const examples = text.split('\n').filter((line) => /^# \w+: [{[]/.test(line));
      expect(examples.length).toBeGreaterThan(2);
      readConfigFile(examples.map((line) => line.slice(2)).join('\n'), SETTINGS);
    });

    it('overwrites nothing, asks nothing, and finds the repository from a folder below', async () => {
      await mkdir(join(root, '.github', 'deep'), { recursive: true });
      await writeFile(join(root, SETTINGS), 'review: { auto: off }\n');
      const first = await init(join(root, '.github', 'deep'));
      expect(first.result).toEqual({
        root,
        files: [
          { path: SETTINGS, written: false },
          { path: WORKFLOW, written: true },
        ],
      });
      expect(await written(SETTINGS)).toBe('review: { auto: off }\n');
      const again = await init();
      expect(again.lines).toEqual([`left ${SETTINGS} as it is`, `left ${WORKFLOW} as it is`]);
    });

    it('outside of a repository writes nothing and says so', async () => {
      await rm(join(root, '.git'), { recursive: true });
      const { code, stdout } = await runDsh(['init', '--json'], { HOME: root }, undefined, 'SIGKILL', root);
      expect(code).toBe(2);
      expect(JSON.parse(stdout)).toMatchObject({ problem: { code: 'USAGE' } });
    });
  });
});
