import { describe, expect, it } from '@jest/globals';
import type { BashRunResult } from '../../../src/seams/bash/executor.ts';
import { fitOutput, shareBudget } from '../../../src/seams/bash/fit-output.ts';
import { bashResultText, exitStatusOf } from '../../../src/seams/bash/result-text.ts';
import type { BashResultParts } from '../../../src/seams/bash/result-text.ts';

const ended: BashRunResult = {
  exitCode: 0,
  signal: null,
  timedOut: false,
  aborted: false,
  timeoutMs: 1000,
  stdout: { text: '', truncated: false },
  stderr: { text: '', truncated: false },
};

function textOf(result: Partial<BashRunResult>, parts: Partial<BashResultParts> = {}): string {
  const none = { text: '', cut: false };
  return bashResultText(
    { ...ended, ...result },
    { stdout: none, stderr: none, escalation: false, advice: [], ...parts },
  );
}

describe('bash', () => {
  it('B21 puts everything in one order, how it ended last', () => {
    const text = textOf(
      { exitCode: 7, timedOut: true, sandbox: { mode: 'read-only', denied: true } },
      {
        stdout: { text: 'out\n', cut: true, fullOutput: '/spill/1' },
        stderr: { text: 'err\n', cut: true },
        escalation: true,
        advice: ['do less'],
      },
    );

    expect(text.split('\n')).toEqual([
      'out',
      '[output truncated; full output: /spill/1]',
      '[stderr]',
      'err',
      '[output truncated; full output: (unavailable)]',
      '[sandbox: file access denied under read-only mode]',
      expect.stringContaining('this exact command'),
      '[hint: do less]',
      '[timed out after 1000ms]',
      '[exit code: 7]',
    ]);
  });

  it('B21 reads back how a command ended', () => {
    expect(exitStatusOf(textOf({ exitCode: 12 }))).toEqual({ exitCode: 12 });
    expect(exitStatusOf(textOf({ exitCode: null, signal: 'SIGSEGV' }))).toEqual({ signal: 'SIGSEGV' });
    expect(exitStatusOf(textOf({}))).toBeUndefined();
    expect(exitStatusOf('expected [exit code: 3]')).toBeUndefined();
    expect(exitStatusOf('[exit code: 3]\nand more')).toBeUndefined();
  });

  it.each([
    '[exit code: 3]',
    'x\n[exit code: 3]',
    'x\n[exit code: 3]\n',
    'x [exit code: 3]',
    'x\n[killed by signal: SIGTERM]',
  ])('B21 takes no output for a marker: %j', (output) => {
    expect(exitStatusOf(textOf({}, { stdout: { text: output, cut: false } }))).toBeUndefined();
  });
});

describe('prompts', () => {
  it.each([
    [{}, '(no output)'],
    [{ exitCode: 2 }, '(no output)\n[exit code: 2]'],
    [{ exitCode: null, signal: 'SIGKILL' as const }, '(no output)\n[killed by signal: SIGKILL]'],
  ])('PR29 says that there is no output: %j', (result, text) => {
    expect(textOf(result)).toBe(text);
  });

  it('PR29 keeps head and tail on line borders and names what is missing', () => {
    const lines = Array.from({ length: 1_000 }, (_, index) => `line ${index}\n`);
    const text = lines.join('');

    const { text: shown, cut } = fitOutput({ text, truncated: false }, 200);

    expect(cut).toBe(true);
    const [head = '', tail = ''] = shown.split(/\[\.\.\. \d+ bytes omitted \.\.\.\]\n/);
    expect(text.startsWith(head) && text.endsWith(tail)).toBe(true);
    expect([head.endsWith('\n'), tail.startsWith('line ')]).toEqual([true, true]);
    expect(shown).toContain(`[... ${text.length - head.length - tail.length} bytes omitted ...]`);
    expect(head.length + tail.length).toBeLessThanOrEqual(200);
    expect(head.length).toBeGreaterThan(80);
  });

  it('PR29 uses the head that the executor kept of a stream it cut', () => {
    const output = { text: 'z\nend\n', truncated: true, head: 'begin\n', totalBytes: 5_000 };

    expect(fitOutput(output, 100).text).toBe('begin\n[... 4988 bytes omitted ...]\nz\nend\n');
    expect(fitOutput({ text: 'end\n', truncated: true }, 100).text).toBe('[... earlier output omitted ...]\nend\n');
  });

  it('PR29 cuts inside one endless line without breaking a character', () => {
    const { text } = fitOutput({ text: '漢'.repeat(1_000), truncated: false }, 100);

    expect(text).not.toContain('\uFFFD');
    expect(text).toMatch(/^漢{16}\n\[\.\.\. \d+ bytes omitted \.\.\.\]\n漢{17}$/);
  });

  it.each([
    [
      [10, 20, 100],
      [10, 20],
    ],
    [
      [10, 500, 100],
      [10, 90],
    ],
    [
      [500, 10, 100],
      [90, 10],
    ],
    [
      [500, 500, 100],
      [50, 50],
    ],
  ])('PR29 shares one budget between both streams: %j', ([first = 0, second = 0, total = 0], shares) => {
    expect(shareBudget(first, second, total)).toEqual(shares);
  });
});
