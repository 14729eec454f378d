import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { pollingStart } from '../../src/action/polling-start.ts';
import { whilePolling } from '../../src/action/while-polling.ts';
import type { JobOutcome, JobRequest, RepositoryAccess } from '../../src/bot/job/job.ts';
import { LiveTurns } from '../../src/bot/job/live-turns.ts';
import type { LiveTurn } from '../../src/bot/job/live-turns.ts';
import { DEFAULT_CONFIG } from '../../src/config/default-config.ts';
import { startGitHub } from '../../src/demo/github/start-github.ts';
import type { GitHubServer } from '../../src/demo/github/start-github.ts';
import { createGitHub } from '../../src/github/client.ts';
import type { Host } from '../../src/handle-event.ts';
import { sessionIdOf } from '../../src/bot/session/session-id.ts';
import { openMemoryStore } from '../../src/store/open-store.ts';
import { readEvent } from '../../src/triggers/read-event.ts';
import type { Reading } from '../../src/triggers/reading.ts';
import { RecordingSurface } from '../bot/support/recording-surface.ts';

const NAME = 'acme/shop';
const self = { botLogin: 'github-actions[bot]' };
let github: GitHubServer;
let issue = 0;

beforeAll(async () => {
  github = await startGitHub();
  await github.addRepository({ owner: 'acme', name: 'shop', files: { 'a.txt': 'a\n' } });
  github.addCollaborator(NAME, 'maria', 'write');
});
afterAll(() => github.close());

/** What the latest comment says, as the run that it starts reads it. */
function latest(): Reading[] {
  const { payload } = github.events.findLast(({ name }) => name === 'issue_comment')!;
  const event = { name: 'issue_comment', delivery: 'run-1-1', payload: payload as never };
  return readEvent(event, { ...DEFAULT_CONFIG, self });
}

/** A run of the Action that a comment started, and that begins its turn so much later. */
async function startRun(trigger: readonly Reading[], bootMs = 0) {
  const [reading] = trigger;
  if (!reading || reading.kind === 'ignore') throw new Error('nothing starts this run');
  const { records, sessions } = openMemoryStore(() => new Date());
  const live = new LiveTurns();
  const [stopped, told]: string[][] = [[], []];
  const now = () => new Date(Date.now() + bootMs);
  const stop = async ({ intake }: { intake: { reading: { cause: string } } }) => {
    stopped!.push(intake.reading.cause);
    return { kind: 'success', text: 'Stopped.' };
  };
  const limit = { count: async () => 1, isTold: async () => false };
  const services = {
    ...{ records, sessions, live, limit, now, handlers: { stop } },
    plugged: async () => [],
    log: (message: string, error: unknown) => told!.push(`${message} ${String(error)}`),
  };
  const signal = AbortSignal.timeout(20_000);
  const causeTaken: Host['causeTaken'] = async (_session, { repo, cause, delivery }) =>
    (await records.causes.take(repo.id, cause, delivery)) !== delivery;
  const host = { services, signal, operator: {}, inputs: {}, self, causeTaken } as unknown as Host;
  await records.causes.take(reading.repo.id, reading.cause, reading.delivery);
  const auth = github.createToken({ actions: NAME });
  const access = {
    github: createGitHub({ auth, apiUrl: github.apiUrl }),
    ...{ repo: { owner: 'acme', repo: 'shop' }, self, ownLogin: self.botLogin },
    permissionOf: async () => ({ kind: 'known', permission: 'write' }),
  } as unknown as RepositoryAccess;
  const turn = { kind: 'turn', job: 'fix', request: '', permission: 'write', reading };
  const session = sessionIdOf(reading);
  const surface = new RecordingSurface();
  const job = { access, config: DEFAULT_CONFIG, turn, session, signal, surface } as unknown as JobRequest;
  const start = pollingStart(trigger, now());
  return {
    ...{ stopped: stopped!, told: told! },
    holder: (id: number) => records.causes.holder(reading.repo.id, `comment-${id}`),
    /** A job of it, in which comments are looked at until they were, some times. */
    poll: async (times = 4) => {
      const before = looks();
      const run = async () => {
        while (looks() - before < times) await sleep(5);
        return {} as JobOutcome;
      };
      await whilePolling(job, () => host, run, start, { firstMs: 5, longestMs: 5 });
    },
    beginTurn: () => {
      const startedBy = { id: reading.actor.id, login: reading.actor.login };
      const steer = async (content: unknown) => void told!.push(JSON.stringify(content));
      const running = { session, cause: reading.cause, job: 'fix', startedBy, steer };
      return live.add(running as unknown as LiveTurn);
    },
  };
}

const looks = () => github.requests.filter(({ path }) => /\/issues\/\d+\/comments/.test(path)).length;

async function newIssue(): Promise<void> {
  issue = (await github.openIssue(NAME, { by: 'tom', title: 'A slip', body: '' })).number;
}

describe('bot-hosts', () => {
  it('H12 S2 a `/dsh stop` that was written while the runner was started is heard, although its own run waits for this one', async () => {
    await newIssue();
    await github.comment(NAME, issue, { by: 'maria', body: '/dsh fix' });
    const run = await startRun(latest(), 90_000);
    const { id } = await github.comment(NAME, issue, { by: 'maria', body: '/dsh stop' });

    await run.poll();
    await run.poll();

    expect(run.stopped).toEqual([`comment-${id}`]);
    expect(await run.holder(id)).toBe(`read-${id}`);
  });

  it('H12 what was written before the comment that started a run is none of its business, nor is that comment itself', async () => {
    await newIssue();
    await github.comment(NAME, issue, { by: 'maria', body: '/dsh stop' });
    const { id } = await github.comment(NAME, issue, { by: 'maria', body: '/dsh fix' });
    const [said] = latest();
    if (!said || said.kind === 'ignore') throw new Error('nothing was said');
    const at = said.saidAt! + 5_000;
    const run = await startRun([{ ...said, saidAt: at }], 60_000);

    await run.poll();

    expect(pollingStart([{ ...said, saidAt: at }], new Date(at + 60_000))).toEqual({
      since: new Date(at),
      seen: new Set([id]),
    });
    expect(run.stopped).toEqual([]);
  });

  it('H12 S1 a word for a turn that has yet to begin is told once it runs, and stays free for its own run until then', async () => {
    await newIssue();
    await github.comment(NAME, issue, { by: 'maria', body: '/dsh fix' });
    const run = await startRun(latest());
    const { id } = await github.comment(NAME, issue, { by: 'maria', body: '/dsh say Use the other file.' });

    await run.poll();
    expect([run.told, await run.holder(id)]).toEqual([[], undefined]);
    run.beginTurn();
    await run.poll();

    expect(run.told).toEqual([expect.stringContaining('Use the other file.')]);
    expect(await run.holder(id)).toBe(`read-${id}`);
  });

  it('H12 T5 a comment that also starts a turn is left to its own run, but for a `stop` in it', async () => {
    await newIssue();
    await github.comment(NAME, issue, { by: 'maria', body: '/dsh fix' });
    const run = await startRun(latest());
    run.beginTurn();
    const both = await github.comment(NAME, issue, { by: 'maria', body: '/dsh say Hurry.\n/dsh review' });
    const anew = await github.comment(NAME, issue, { by: 'maria', body: '/dsh stop\n/dsh fix with the other file' });

    await run.poll();

    expect(run.told).toEqual([]);
    expect(run.stopped).toEqual([`comment-${anew.id}`]);
    expect([await run.holder(both.id), await run.holder(anew.id)]).toEqual([undefined, undefined]);
  });

  it('H12 where nothing tells when a run was asked for, comments count from now on', () => {
    const now = new Date(1_000_000);
    const fresh = { since: now, seen: new Set() };

    expect(pollingStart([], now)).toEqual(fresh);
    expect(pollingStart([{ kind: 'ignore', why: 'draft' }], now)).toEqual(fresh);
    expect(pollingStart([{ ...latest()[0]!, saidAt: 2_000_000 } as Reading], now).since).toEqual(now);
  });
});
