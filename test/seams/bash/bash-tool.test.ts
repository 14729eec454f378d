import { describe, expect, it } from '@jest/globals';
import type { BashToolConfig } from '../../../src/seams/bash/bash-setup.ts';
import { bashTool } from '../../../src/seams/bash/bash-tool.ts';
import type { ToolExecution } from '../../../src/harness/tools/types.ts';
import { startInBackground } from '../../../src/seams/bash/start-in-background.ts';
import { BashEnvRegistry } from '../../../src/seams/bash/bash-env.ts';
import { MemoryBash } from '../../support/memory-bash.ts';
import type { MemoryBashOptions, MemoryScript } from '../../support/memory-bash.ts';
import { createToolBench } from '../tool-bench.ts';

async function setUp(
  scripts: Record<string, MemoryScript>,
  config: BashToolConfig & { options?: MemoryBashOptions } = {},
) {
  const { options, ...toolConfig } = config;
  const bench = await createToolBench();
  const bash = new MemoryBash(scripts, options);
  bench.ctx.provide('bash', bash);
  await bench.ctx.plugin(bashTool, toolConfig);
  const run = (command: string, more: object = {}) => bench.text('bash', { command, description: 'test', ...more });
  return { bench, bash, run };
}

/** A task runtime that starts at once and keeps what it was given. */
class InstantTasks {
  readonly started: { label: string; outcome: Promise<unknown>; cancel(): void; read(): string }[] = [];

  start({
    label,
    run,
  }: {
    label: string;
    run(): { done: Promise<unknown>; cancel(): void; readOutput(): string };
  }): string {
    const { done, cancel, readOutput } = run();
    this.started.push({ label, outcome: done, cancel, read: readOutput });
    return `bash-${this.started.length}`;
  }
}

describe('bash', () => {
  it('B2 gives a failing command back as a result', async () => {
    const { bench } = await setUp({ 'npm test': { exitCode: 1, stdout: '2 failed\n' } });

    const result = await bench.call('bash', { command: 'npm test', description: 'run the tests' });

    expect(result).toEqual({ content: [{ type: 'text', text: '2 failed\n[exit code: 1]' }], isError: false });
  });

  it('B2 makes a command that could not start an error', async () => {
    const { bench } = await setUp({}, { options: { missing: ['/workspace/gone'] } });

    const { code } = await bench.failure('bash', { command: 'ls', description: 'list', workdir: 'gone' });

    expect(code).toBe('BASH_SPAWN_FAILED');
  });

  it('B2 makes an aborted command an error that keeps its output', async () => {
    const { bench } = await setUp({ slow: { durationMs: 5_000, stdout: 'so far\n' } });

    const result = await bench.call(
      'bash',
      { command: 'slow', description: 'wait' },
      { signal: AbortSignal.timeout(50) },
    );

    expect(result).toMatchObject({ isError: true, error: { name: 'AbortError', code: 'ABORTED' } });
    expect(JSON.stringify(result.content)).toContain('so far');
  });

  it('B3 B4 shows timeout and exit code side by side, with the next step', async () => {
    const { run } = await setUp(
      { slow: { durationMs: 60_000, onTerm: 3, stdout: 'part\n' } },
      { enableRunInBackground: false },
    );

    const text = await run('slow', { timeoutMs: 20 });

    expect(text).toMatch(
      /^part\n\[hint: .*20 ms.*timeoutMs \(at most 600000\)\]\n\[timed out after 20ms\]\n\[exit code: 3\]$/,
    );
  });

  it('B17 starts a background command as a task that outlives the call', async () => {
    const { bench, bash } = await setUp({ server: { durationMs: 60_000, stdout: 'up\n' } });
    const tasks = new InstantTasks();
    bench.ctx.provide('tasks', tasks as never);
    const call = new AbortController();

    const args = { command: 'server', description: 'the dev server', run_in_background: true };
    const { content } = await bench.call('bash', args, { signal: call.signal });
    call.abort();

    expect(content).toEqual([{ type: 'text', text: 'started background task bash-1' }]);
    expect(bash.specs[0]).not.toHaveProperty('signal');
    expect(tasks.started[0]).toMatchObject({ label: 'the dev server' });
    expect(tasks.started[0]?.read()).toBe('up\n');

    tasks.started[0]?.cancel();
    expect(await tasks.started[0]?.outcome).toEqual({ status: 'killed', detail: 'signal: SIGTERM' });
  });

  it('B18 completes a background command that fails', async () => {
    const { bench } = await setUp({ build: { exitCode: 2 } });
    const tasks = new InstantTasks();
    bench.ctx.provide('tasks', tasks as never);

    await bench.call('bash', { command: 'build', description: 'build', run_in_background: true });

    expect(await tasks.started[0]?.outcome).toEqual({ status: 'completed', detail: 'exit code: 2' });
  });

  it('B17 refuses a background command without a task runtime', async () => {
    const { bench, bash } = await setUp({ server: {} });

    const { text } = await bench.failure('bash', { command: 'server', description: 'x', run_in_background: true });

    expect(text).toContain('no task runtime');
    expect(bash.specs).toEqual([]);
  });

  it('B17 refuses a background command where it is switched off, though the field is not shown', async () => {
    const { bench, bash } = await setUp({ server: {} }, { enableRunInBackground: false });
    bench.ctx.provide('tasks', new InstantTasks() as never);

    const { text } = await bench.failure('bash', { command: 'server', description: 'x', run_in_background: true });

    expect(text).toContain('switched off');
    expect(bash.specs).toEqual([]);
    expect(bench.ctx.tools.get('bash')?.parameters).not.toMatchObject({ properties: { run_in_background: {} } });
  });

  it('B17 starts nothing when the call was aborted while it was asked about', async () => {
    const { bench, bash } = await setUp({ server: {} });
    const tasks = new InstantTasks();
    bench.ctx.provide('tasks', tasks as never);
    const exec = { signal: AbortSignal.abort() } as ToolExecution;

    const starting = () => startInBackground(bench.ctx, exec, { command: 'server' }, { enabled: true, label: 'x' });

    expect(starting).toThrow(expect.objectContaining({ code: 'ABORTED_BEFORE_DISPATCH' }));
    expect([tasks.started, bash.specs]).toEqual([[], []]);
  });

  it('B17 starts nothing when the runtime refuses', async () => {
    const { bench, bash } = await setUp({ server: {} });
    const args = { command: 'server', description: 'x', run_in_background: true };
    bench.ctx.provide('tasks', {
      start: () => {
        throw new Error('ten tasks are running');
      },
    } as never);

    expect((await bench.failure('bash', args)).text).toContain('ten tasks are running');

    expect(bash.specs).toEqual([]);
  });

  it('B19 passes on nothing that the tool does not name', async () => {
    const { bash, run } = await setUp({ ls: {} });

    await run('ls', {
      stdin: 'x',
      env: { A: 'b' },
      stdoutMaxBytes: 9,
      dshEnv: { DSH_A: 'b' },
      sandboxPolicy: { mode: 'x' },
    });

    expect(Object.keys(bash.specs[0]!).sort()).toEqual(
      ['command', 'sandboxPolicy', 'signal', 'stdoutMaxBytes', 'timeoutMs', 'workdir'].sort(),
    );
    expect(bash.specs[0]).toMatchObject({ stdoutMaxBytes: 64_000, sandboxPolicy: undefined });
  });

  it('B20 gives commands the facts of their session, anew for every call', async () => {
    const { bench, bash, run } = await setUp({ env: {} });
    const registry = new BashEnvRegistry({ home: '/dsh' });
    bench.ctx.provide('bashEnv', registry);
    let count = 0;
    const variables = { DSH_CALLS: { description: 'calls so far' } };
    registry.register({ name: 'counter', variables, resolve: () => ({ DSH_CALLS: String(++count) }) });

    await run('env');
    await run('env');

    const own = { DSH_HOME: '/dsh', DSH_SHELL: '1', DSH_SESSION_ID: 'session-1' };
    expect(bash.specs.map(({ dshEnv }) => dshEnv)).toEqual([
      { ...own, DSH_CALLS: '1' },
      { ...own, DSH_CALLS: '2' },
    ]);
  });

  it.each([
    [undefined, '/workspace'],
    ['', '/workspace'],
    ['pkg/a', '/workspace/pkg/a'],
    ['/tmp', '/tmp'],
  ])('B19 runs with workdir %j in %s', async (workdir, expected) => {
    const { bash, run } = await setUp({ ls: {} });

    await run('ls', workdir === undefined ? {} : { workdir });

    expect(bash.specs[0]?.workdir).toBe(expected);
  });

  it.each([
    [{ command: '  ' }, 'command is blank'],
    [{ description: ' ' }, 'description is blank'],
    [{ timeoutMs: 0 }, 'timeoutMs'],
    [{ command: 'x'.repeat(40_000) }, 'the limit is 32768'],
  ])('N11 B5 refuses %j', async (args, text) => {
    const { bench, bash } = await setUp({ ls: {} });

    expect(await bench.failure('bash', { command: 'ls', description: 'list', ...args })).toMatchObject({
      code: 'INVALID_ARGS',
      text: expect.stringContaining(text) as unknown as string,
    });
    expect(bash.specs).toEqual([]);
  });

  it('N10 shows a command as a terminal card, also from an old log', async () => {
    const { bench } = await setUp({});
    const tool = bench.ctx.tools.get('bash')!;
    const args = { command: 'npm test', description: 'run the tests' };
    const content = [{ type: 'text' as const, text: 'no\n[exit code: 4]' }];

    expect(tool.presentCall?.(args)).toEqual({ card: 'terminal', title: 'npm test', description: 'run the tests' });
    expect(tool.presentResult?.(args, { content, isError: false })).toEqual({
      card: 'terminal',
      output: 'no\n[exit code: 4]',
      exitCode: 4,
    });
  });

  it('B2 tells the model in the prompt to check how a command ended, while the tool is there', async () => {
    const { bench } = await setUp({});

    const { sections } = await bench.ctx.systemPrompt.assemble();

    expect(sections.find(({ name }) => name === 'tool:bash')?.text).toMatch(/last line of the result/);
  });
});
