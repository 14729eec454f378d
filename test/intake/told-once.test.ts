import { beforeEach, describe, expect, it } from '@jest/globals';
import { carryOut } from '../../src/intake/carry-out.ts';
import type { Carrying } from '../../src/intake/carrying.ts';
import { HarnessError } from '../../src/harness/llm/errors.ts';
import { SessionId } from '../../src/harness/session/types.ts';
import type { SessionEvent } from '../../src/harness/session/types.ts';
import type { Intake } from '../../src/triggers/intake.ts';
import { appendRaw, LogWriter, text } from '../harness/session/session-fixture.ts';

const SESSION = SessionId('gh-9-7-1');
const reading = {
  kind: 'command',
  command: { kind: 'command', name: 'say', flags: {}, text: 'in French' },
  byAuthor: true,
  actor: { id: 5, login: 'maria', association: 'MEMBER' },
  repo: { id: 9, owner: 'acme', repo: 'shop' },
  subject: { kind: 'issue', number: 7 },
  cause: 'comment-9',
  delivery: 'd9',
};
const steer = { kind: 'steer', session: SESSION, text: 'in French', permission: 'write', reading } as unknown as Intake;
const note = {
  kind: 'note',
  session: SESSION,
  text: 'A check failed.',
  reading: { ...reading, kind: 'note', what: 'check', text: 'lint failed', cause: 'check-3' },
} as unknown as Intake;

let did: string[];
let log: LogWriter;
let isRunning: boolean;
let say: () => Promise<void>;

beforeEach(() => {
  did = [];
  log = new LogWriter().startTurn();
  isRunning = true;
  say = async () => void did.push('told');
});

function carrying(): Carrying {
  const live = { of: () => (isRunning ? { job: 'fix', steer: () => say(), inject: () => say() } : undefined) };
  const sessions = { has: async () => true, inspect: async () => ({ events: log.session.events as SessionEvent[] }) };
  return {
    ...{ session: SESSION, signal: new AbortController().signal, queued: () => did.push('queued') },
    host: { services: { live, sessions, atDesk: async () => void did.push('at desk') } },
    surface: { accepted: async () => void did.push('seen') },
  } as unknown as Carrying;
}

describe('bot-human-loop', () => {
  it('S1 T6 words that are in the log already are seen, and not said again, whether a turn runs or not', async () => {
    const source = {
      kind: 'github',
      actor: 'maria',
      association: 'MEMBER',
      permission: 'write',
      url: 'u',
      trusted: true,
    };
    const data = { turn: 1, content: text('in French'), source: { ...source, cause: 'comment-9' } };
    appendRaw(log.session, 'steering/message', data, { surfaceOp: 'append' });

    expect(await carryOut(steer, carrying())).toMatchObject({ why: 'steered' });
    isRunning = false;
    const turn = { ...steer, kind: 'turn', job: 'ask', request: 'in French' } as unknown as Intake;
    expect(await carryOut(turn, carrying())).toMatchObject({ why: 'steered' });
    expect(did).toEqual(['seen', 'seen']);
  });

  it('T14 T6 nor is what happened told twice', async () => {
    const data = { content: text('A check failed.'), source: { kind: 'plugin', plugin: 'github' } };
    expect(await carryOut(note, carrying())).toMatchObject({ why: 'noted' });
    expect(did).toEqual(['told', 'queued']);

    appendRaw(log.session, 'context/message', { ...data, meta: { delivery: 'd9' } }, { surfaceOp: 'append' });
    await carryOut(note, carrying());
    expect(did).toEqual(['told', 'queued']);
  });

  it('T14 what happened is kept for the next turn where the one that ran ended meanwhile', async () => {
    say = () => Promise.reject(new HarnessError('the turn has ended', 'NOT_RUNNING'));
    await carryOut(note, carrying());

    expect(did).toEqual(['queued', 'at desk']);
  });

  it('S1 S2 what comes behind a word, such as a stop, does not wait until the model has read it', async () => {
    const read = Promise.withResolvers<void>();
    say = () => read.promise;

    const carried = carryOut(steer, carrying());
    await new Promise(setImmediate);
    expect(did).toEqual(['queued']);

    read.resolve();
    await carried;
    expect(did).toEqual(['queued', 'seen']);
  });

  it('S1 a word that cannot be stored is not seen: its delivery is worked again', async () => {
    say = () => Promise.reject(new HarnessError('the disk is full', 'ERR_SQLITE_ERROR'));

    await expect(carryOut(steer, carrying())).rejects.toThrow('the disk is full');
    expect(did).toEqual(['queued']);
  });
});
