import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { isJsonValue } from '../../../src/harness/session/json.ts';
import { decodeHookOutput } from '../../../src/seams/hooks/decode-output.ts';

const decode = (exitCode: number | undefined, stdout: unknown = '', stderr = '', event?: string) =>
  decodeHookOutput({ exitCode, stderr, stdout: typeof stdout === 'string' ? stdout : JSON.stringify(stdout) }, event);
const specific = (fields: object, event = 'PreToolUse') => ({
  hookSpecificOutput: { hookEventName: event, ...fields },
});

describe('hooks', () => {
  it('H1 a clean exit may carry an object; what is printed is trimmed', () => {
    expect(
      decode(0, '  {"decision":"block","reason":"no","continue":false,"stopReason":"s","systemMessage":"m"}\n'),
    ).toEqual({
      exitCode: 0,
      stderr: '',
      stdout: '{"decision":"block","reason":"no","continue":false,"stopReason":"s","systemMessage":"m"}',
      decision: 'block',
      reason: 'no',
      continue: false,
      stopReason: 's',
      systemMessage: 'm',
    });
  });

  it.each(['', 'all is well', '[{"decision":"block"}]', '{"decision":"block"', '{decision: block}', '"{}"'])(
    'H1 a clean exit with other text decides nothing: %s',
    (stdout) => {
      expect(decode(0, stdout)).toEqual({ exitCode: 0, stdout, stderr: '' });
    },
  );

  it('H1 exit 2 blocks with stderr as its reason, whatever stands on stdout', () => {
    const stdout = '{"decision":"approve"}';

    expect(decode(2, stdout, ' not here \n')).toEqual({
      exitCode: 2,
      stdout,
      stderr: 'not here',
      decision: 'block',
      reason: 'not here',
    });
    expect(decode(2)).toEqual({ exitCode: 2, stdout: '', stderr: '', decision: 'block' });
  });

  it.each([1, 3, 127, -1, undefined])('H1 exit %s is an error that blocks nothing', (exitCode) => {
    const stdout = '{"decision":"block"}';

    expect(decode(exitCode, stdout, 'broken')).toEqual({ exitCode, stdout, stderr: 'broken' });
  });

  it('H1 decoding never throws, and what it keeps of an input is JSON', () => {
    const wild = fc.oneof(
      fc.string(),
      fc.json(),
      fc.object().map((value) => JSON.stringify({ hookSpecificOutput: value })),
    );
    fc.assert(
      fc.property(
        fc.option(fc.integer({ min: 0, max: 3 }), { nil: undefined }),
        wild,
        fc.string(),
        (code, out, err) => {
          const { updatedInput } = decode(code, out, err, 'PreToolUse');
          return updatedInput === undefined || isJsonValue(updatedInput);
        },
      ),
    );
    const negativeZero =
      '{"hookSpecificOutput":{"hookEventName":"PreToolUse","updatedInput":{"a":-0},"permissionDecision":"deny"}}';
    expect(decode(0, negativeZero)).not.toHaveProperty('updatedInput');
    expect(decode(0, negativeZero).decision).toBe('deny');
  });

  it('H1 a field of the wrong shape is left out, the others stay', () => {
    const output = decode(0, { continue: 'no', reason: 5, systemMessage: 'm', hookSpecificOutput: 'x' });

    expect(output).toEqual({ exitCode: 0, stdout: expect.any(String), stderr: '', systemMessage: 'm' });
  });

  it.each([
    ['approve', 'approve'],
    ['block', 'block'],
    ['deny', undefined],
    ['allow', undefined],
    ['ask', undefined],
    ['BLOCK', undefined],
    [true, undefined],
  ])('H2 the top-level decision %s counts as %s', (decision, expected) => {
    expect(decode(0, { decision }).decision).toBe(expected);
  });

  it.each([
    ['allow', 'allow'],
    ['deny', 'deny'],
    ['ask', 'ask'],
    ['approve', undefined],
    ['block', undefined],
  ])('H2 the permission decision %s counts as %s', (permissionDecision, expected) => {
    expect(decode(0, specific({ permissionDecision }), '', 'PreToolUse').decision).toBe(expected);
  });

  it('H2 the permission decision and its reason override those at the top', () => {
    const top = { decision: 'block', reason: 'top' };
    const both = { ...top, ...specific({ permissionDecision: 'allow', permissionDecisionReason: 'inner' }) };
    const unknown = { ...top, ...specific({ permissionDecision: 'maybe', permissionDecisionReason: 'inner' }) };

    expect(decode(0, both, '', 'PreToolUse')).toMatchObject({ decision: 'allow', reason: 'inner' });
    expect(decode(0, unknown, '', 'PreToolUse')).toMatchObject({ decision: 'block', reason: 'top' });
  });

  it.each([
    ['another event', 'PostToolUse'],
    ['no event', undefined],
  ])('H3 an answer for %s loses what belongs to its event and keeps the rest', (_what, event) => {
    const fields = {
      permissionDecision: 'deny',
      permissionDecisionReason: 'r',
      additionalContext: 'c',
      updatedInput: {},
    };
    const { hookSpecificOutput } = specific(fields);
    const output = decode(
      0,
      { decision: 'approve', reason: 'top', hookSpecificOutput: { ...hookSpecificOutput, hookEventName: event } },
      '',
      'PreToolUse',
    );

    expect(output.hookEventName).toBe(event);
    expect(output).toMatchObject({ decision: 'approve', reason: 'top' });
    expect(output).not.toHaveProperty('additionalContext');
    expect(output).not.toHaveProperty('updatedInput');
  });

  it('H3 where no event is expected, an answer must still name one', () => {
    const { hookSpecificOutput } = specific({ additionalContext: 'c' });

    expect(decode(0, { hookSpecificOutput }).additionalContext).toBe('c');
    expect(decode(0, { hookSpecificOutput: { ...hookSpecificOutput, hookEventName: undefined } })).not.toHaveProperty(
      'additionalContext',
    );
  });

  it('H3 an answer for this event keeps what belongs to it', () => {
    expect(decode(0, specific({ additionalContext: 'c', updatedInput: { a: 1 } }), '', 'PreToolUse')).toMatchObject({
      hookEventName: 'PreToolUse',
      additionalContext: 'c',
      updatedInput: { a: 1 },
    });
  });
});
