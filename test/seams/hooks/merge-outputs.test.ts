import { describe, expect, it } from '@jest/globals';
import { mergeHookOutputs } from '../../../src/seams/hooks/merge-outputs.ts';
import type { HookOutput } from '../../../src/seams/hooks/types.ts';

const said = (fields: Partial<HookOutput>): HookOutput => ({ exitCode: 0, stdout: '', stderr: '', ...fields });
const decided = (...decisions: (HookOutput['decision'] | undefined)[]) =>
  mergeHookOutputs(decisions.map((decision) => said(decision ? { decision } : {}))).decision;

describe('hooks', () => {
  it('H4 nothing said is no decision', () => {
    expect(mergeHookOutputs([])).toEqual({ decision: 'none', stop: false, additionalContext: [], systemMessages: [] });
    expect(decided(undefined, undefined)).toBe('none');
  });

  it('H4 deny is stronger than ask, ask than allow, allow than nothing, in any order', () => {
    expect(decided('allow', 'ask', 'deny', undefined)).toBe('deny');
    expect(decided('deny', 'ask', 'allow')).toBe('deny');
    expect(decided('ask', 'allow', undefined)).toBe('ask');
    expect(decided(undefined, 'allow')).toBe('allow');
    expect(decided('allow', 'block')).toBe('deny');
    expect(decided(undefined, 'approve')).toBe('allow');
  });

  it('H4 only the reasons of the winning rank are told, with a blank line between', () => {
    const outputs = [
      said({ decision: 'allow', reason: 'fine' }),
      said({ decision: 'block', reason: 'first' }),
      said({ reason: 'nothing decided' }),
      said({ decision: 'deny' }),
      said({ decision: 'deny', reason: 'second' }),
    ];

    expect(mergeHookOutputs(outputs).reason).toBe('first\n\nsecond');
    expect(mergeHookOutputs([said({ reason: 'nothing decided' })])).not.toHaveProperty('reason');
  });

  it('H4 the first one that said stop counts, also when others go on', () => {
    const outputs = [
      said({ continue: true, stopReason: 'not me' }),
      said({ continue: false, stopReason: 'first' }),
      said({ continue: false, stopReason: 'second' }),
      said({ continue: true }),
    ];

    expect(mergeHookOutputs(outputs)).toMatchObject({ stop: true, stopReason: 'first' });
    expect(
      mergeHookOutputs([said({ continue: false }), said({ continue: false, stopReason: 'late' })]),
    ).not.toHaveProperty('stopReason');
  });

  it('H4 contexts and messages accumulate in order, whatever was decided; blank ones are nothing', () => {
    const outputs = [
      said({ additionalContext: 'a', systemMessage: 'm' }),
      said({ additionalContext: ' ' }),
      said({ decision: 'deny', additionalContext: 'b', systemMessage: 'n' }),
    ];

    expect(mergeHookOutputs(outputs)).toMatchObject({ additionalContext: ['a', 'b'], systemMessages: ['m', 'n'] });
  });
});
