import { describe, expect, it } from '@jest/globals';
import { Output } from '../../src/cli/output.ts';
import { DshError } from '../../src/errors.ts';

function outputWith(json: boolean, variables: Record<string, string> = {}) {
  const out: string[] = [];
  const err: string[] = [];
  const into = (lines: string[]) => ({ write: (text: string | Uint8Array) => lines.push(String(text)) > 0 });
  return { output: new Output({ json, variables, stdout: into(out), stderr: into(err) }), out, err };
}

describe('bot-hosts', () => {
  it('`--json`: one document of one shape on stdout, all else on stderr', () => {
    const { output, out, err } = outputWith(true);

    output.say('a line');
    output.result([1]);
    output.finish(0);
    output.finish(130);

    expect(out.map((text) => JSON.parse(text) as unknown)).toEqual([
      { status: 'done', exitCode: 0, result: [1], problem: null },
    ]);
    expect(err).toEqual(['a line\n']);
  });

  it('`--json`: what went wrong stands in the same shape, without a secret', () => {
    const { output, out, err } = outputWith(true, { GITHUB_TOKEN: 'super-secret-value' });

    const problem = output.failed(new DshError('It is super-secret-value.\u001b[2J', 'USAGE', 'Mend it.'));
    output.finish(2, problem);

    expect(JSON.parse(out.join(''))).toEqual({
      status: 'usage',
      exitCode: 2,
      result: null,
      problem: { code: 'USAGE', message: 'It is ***.\u001b[2J', hint: 'Mend it.' },
    });
    expect(out.join('')).not.toContain('\u001b');
    expect(err).toEqual(['It is ***.[2J\nMend it.\n']);
  });

  it('without `--json` there is no document', () => {
    const { output, out } = outputWith(false);

    output.say('a\u0007 line\r');
    output.result([1]);
    output.finish(0);

    expect(out).toEqual(['a line\n']);
  });

  it('the operator sees where a fault of ours comes from, and no stack of what can be mended', () => {
    const { output, err } = outputWith(false);

    output.log('it failed', new DshError('No key.', 'CONFIG_INVALID', 'Set it.'));
    output.log('it failed', Object.assign(new Error('Not Found'), { status: 404 }));
    output.log('it failed', new Error('a fault'));

    expect(err[0]).toBe('it failed: No key. Set it.\n');
    expect(err[1]).not.toMatch(/^\s+at /m);
    expect(err[2]).toMatch(/^\s+at .*output\.test/m);
  });

  it('H8 a step of a workflow that runs a command gives the runner no command', () => {
    const { output, out, err } = outputWith(false, { GITHUB_ACTIONS: 'true' });

    output.say('\u0007::stop-commands::x');
    output.log('x\n::error::y');

    expect(out).toEqual(['| ::stop-commands::x\n']);
    expect(err).toEqual(['x\n| ::error::y\n']);
  });
});
