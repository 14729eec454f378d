import { describe, expect, it } from '@jest/globals';
import { EXIT, exitCodeOf, exitCodeOfProblem } from '../../src/cli/exit-code.ts';
import { parseSubjectUrl } from '../../src/cli/parse-subject-url.ts';
import { TerminalSurface } from '../../src/cli/terminal-surface.ts';
import type { Handled } from '../../src/handle-event.ts';
import { Redactor } from '../../src/publish/redact.ts';

const handled = (status: Handled['status'], code?: string): Handled =>
  ({
    status,
    outcome: { status, problem: code === undefined ? undefined : { code, message: '', hint: undefined } },
  }) as unknown as Handled;
const SERVER = 'https://github.com';

describe('bot-hosts', () => {
  it.each([
    [[], 0],
    [[handled('completed')], 0],
    [[handled('ignored'), handled('replied')], 0],
    [[handled('failed', 'TURN_FAILED')], 1],
    [[handled('failed')], 1],
    [[handled('failed', 'CONFIG_INVALID')], 2],
    [[handled('failed', 'MODEL_NOT_CONFIGURED')], 2],
    [[handled('refused')], 3],
    [[handled('stopped', 'BUDGET')], 3],
    [[handled('failed', 'SANDBOX_UNAVAILABLE')], 4],
    [[handled('stopped', 'INTERRUPTED')], 130],
    [[handled('stopped', 'STOPPED')], 130],
    [[handled('completed'), handled('failed', 'TURN_FAILED')], 1],
    [[handled('failed', 'TURN_FAILED'), handled('stopped', 'INTERRUPTED')], 130],
  ])('exit code of %j', (all, code) => {
    expect(exitCodeOf(all)).toBe(code);
  });

  it('exit codes of a problem before any turn', () => {
    expect(exitCodeOfProblem('USAGE')).toBe(EXIT.usage);
    expect(exitCodeOfProblem('SANDBOX_UNAVAILABLE')).toBe(EXIT.noSandbox);
    expect(exitCodeOfProblem('INTERRUPTED')).toBe(EXIT.interrupted);
    expect(exitCodeOfProblem('UNEXPECTED')).toBe(EXIT.failed);
    expect(exitCodeOfProblem(undefined)).toBe(EXIT.failed);
  });

  it.each([
    ['https://github.com/acme/shop/issues/12', 'issue', 12],
    ['https://github.com/acme/shop/pull/3', 'pull', 3],
    ['https://github.com/acme/shop/pull/3/files#diff-1', 'pull', 3],
    ['https://github.com/acme/shop/issues/12?x=1#issuecomment-5', 'issue', 12],
    ['https://GitHub.com/acme/shop/issues/12/', 'issue', 12],
  ])('reads the address %s', (url, kind, number) => {
    expect(parseSubjectUrl(url, SERVER)).toEqual({ owner: 'acme', repo: 'shop', subject: { kind, number } });
  });

  it.each([
    'acme/shop#12',
    '',
    'https://github.com/acme/shop',
    'https://github.com/acme/shop/issues',
    'https://github.com/acme/shop/issues/0',
    'https://github.com/acme/shop/issues/12x',
    'https://github.com/acme/shop/discussions/12',
    'https://github.com/acme/shop/issues/99999999999999999999',
    'https://gitlab.example/acme/shop/issues/12',
    'ftp://github.com/acme/shop/issues/12',
  ])('refuses %j as an address, and says what one looks like', (url) => {
    expect(() => parseSubjectUrl(url, SERVER)).toThrow(
      expect.objectContaining({ code: 'USAGE', hint: expect.any(String) }),
    );
  });

  it("reads an address on a server of one's own", () => {
    expect(parseSubjectUrl('http://ghe.local:8080/acme/shop/issues/1', 'http://ghe.local:8080')).toMatchObject({
      owner: 'acme',
    });
  });

  it('the terminal tells a job line by line, without a secret', async () => {
    const redactor = new Redactor(['super-secret-value']);
    const lines: string[] = [];
    const surface = new TerminalSurface((line) => lines.push(redactor.redact(line)));
    const reading = {
      repo: { owner: 'acme', repo: 'shop' },
      subject: { kind: 'issue', number: 1 },
      actor: { login: 'maria' },
    };
    const turn = { kind: 'turn', job: 'fix', reading } as never;

    await surface.accepted(turn);
    const progress = await surface.openProgress(turn, { session: 's', cause: 'c' }, () => '');
    progress.changed('bash: use super-secret-value');
    progress.changed();
    await progress.end({ state: 'done', parts: [{ kind: 'said', text: 'It is mended.' }] });
    await surface.refused({ kind: 'refuse', why: 'no-permission', reading } as never);
    await surface.replied({ kind: 'reply', text: 'Write this.', reading } as never);

    expect(lines).toEqual([
      'fix on acme/shop#1',
      'session s',
      '  bash: use ***',
      'It is mended.',
      'Refused for maria: this needs write permission on the repository.',
      'Write this.',
    ]);
  });
});
