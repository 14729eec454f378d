import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { demoExitCode } from '../../src/cli/demo-exit-code.ts';
import type { DemoResult } from '../../src/cli/demo.ts';
import { findPackageRoot } from '../../src/cli/package-root.ts';
import { COMPILE_CACHE } from '../support/compile-cache.ts';

const outcome = (status: string, code?: string) =>
  ({ status, problem: code && { code } }) as unknown as DemoResult['outcome'];

describe('bot-hosts', () => {
  it.each([
    [true, outcome('completed'), true, 0],
    [false, outcome('completed'), false, 1],
    [false, outcome('failed', 'SANDBOX_UNAVAILABLE'), false, 4],
    [false, outcome('failed', 'MODEL_NOT_CONFIGURED'), true, 2],
    [false, outcome('stopped', 'INTERRUPTED'), true, 130],
    [false, undefined, true, 130],
    [false, undefined, false, 1],
  ])('exit code of a demo: passed %j, outcome %j, interrupted %j: %i', (passed, came, isInterrupted, code) => {
    expect(demoExitCode({ passed, outcome: came }, isInterrupted)).toBe(code);
  });

  it.each([
    ['one Ctrl-C', 1],
    ['two at once', 2],
  ])('`dsh demo` ends with 130 after %s, with its document and without a temporary file', async (_, times) => {
    const folder = await mkdtemp(join(tmpdir(), 'dsh-interrupted-'));
    const demo = spawn(process.execPath, [`${findPackageRoot()}/src/cli.ts`, 'demo', '--json'], {
      env: {
        ...{ PATH: process.env.PATH, HOME: folder, TMPDIR: folder, DOCKER_HOST: process.env.DOCKER_HOST },
        ...COMPILE_CACHE,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let stdout = '';
    demo.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
    await once(demo.stderr, 'data');
    for (let sent = 0; sent < times; sent++) {
      demo.kill('SIGINT');
      await new Promise((resolve) => setTimeout(resolve, 3));
    }
    const [code] = (await once(demo, 'close')) as [number | null];

    expect(code).toBe(130);
    expect(JSON.parse(stdout)).toMatchObject({ status: 'interrupted', exitCode: 130 });
    expect(await readdir(folder)).toEqual([]);
    await rm(folder, { recursive: true });
  });
});
