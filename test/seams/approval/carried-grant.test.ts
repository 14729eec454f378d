import { describe, expect, it } from '@jest/globals';
import type { SessionEvent } from '../../../src/harness/session/types.ts';
import { CallId } from '../../../src/harness/llm/types.ts';
import { carriedGrant } from '../../../src/seams/approval/carried-grant.ts';

const request = { callId: CallId('c1'), toolName: 'bash', reason: 'it pushes' };

/** A log of nothing but what the rule reads. */
function logOf(...entries: [type: string, data: object][]): SessionEvent[] {
  return entries.map(([type, data], seq) => ({ seq, type, data }) as unknown as SessionEvent);
}

const called = (args: string): [string, object] => [
  'tool/call',
  { callId: 'c1', name: 'bash', arguments: JSON.stringify({ command: args }) },
];
const ASKED: [string, object] = ['approval/asked', { id: 'ap_1', ...request }];
const PARKED: [string, object][] = [['turn/start', {}], called('git push'), ASKED, ['turn/end', {}]];
const GRANTED: [string, object][] = [
  ['turn/start', {}],
  ['approval/decided', { id: 'ap_1', outcome: 'allowed-once' }],
];

describe('bot-human-loop', () => {
  it('A3 a yes is carried to the very call that it was asked for', () => {
    expect(carriedGrant(logOf(...PARKED, ...GRANTED), request)).toBe('ap_1');
  });

  it.each(['git push ', 'git push'])(
    'A3 a later call of the same id is asked for anew, also where it reads %j, and no process remembers the first',
    (command) => {
      expect(carriedGrant(logOf(...PARKED, ...GRANTED, called(command)), request)).toBeUndefined();
    },
  );

  it('A3 a call that has its result has used its yes', () => {
    const result: [string, object] = ['tool/result', { callId: 'c1', content: [] }];
    expect(carriedGrant(logOf(...PARKED, ...GRANTED, result), request)).toBeUndefined();
  });
});
