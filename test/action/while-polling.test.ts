import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { pollingStart } from '../../src/action/polling-start.ts';
import { whilePolling } from '../../src/action/while-polling.ts';
import type { JobOutcome, JobRequest, RepositoryAccess } from '../../src/bot/job/job.ts';
import { LiveTurns } from '../../src/bot/job/live-turns.ts';
import { DEFAULT_CONFIG } from '../../src/config/default-config.ts';
import { startGitHub } from '../../src/demo/github/start-github.ts';
import type { GitHubServer } from '../../src/demo/github/start-github.ts';
import { createGitHub } from '../../src/github/client.ts';
import type { Host } from '../../src/handle-event.ts';
import { SessionId } from '../../src/harness/session/types.ts';
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

/** A run of the Action that a comment started, and that begins its turn so much later; resolves with what stopped it. */
async function runUntilStopped(trigger: readonly Reading[], bootMs: number, waitMs: number): Promise<string[]> {
  const { records, sessions } = openMemoryStore(() => new Date());
  const stopped: string[] = [];
  const ended = new AbortController();
  const now = () => new Date(Date.now() + bootMs);
  const stop = async ({ intake }: { intake: { reading: { cause: string } } }) => {
    stopped.push(intake.reading.cause);
    ended.abort();
    return { kind: 'success', text: 'Stopped.' };
  };
  const limit = { count: async () => 1, isTold: async () => false };
  const handlers = { stop };
  const services = {
    records,
    sessions,
    live: new LiveTurns(),
    limit,
    plugged: async () => [],
    now,
    handlers,
    log: () => {},
  };
  const signal = AbortSignal.timeout(20_000);
  const causeTaken = async (
    _session: SessionId,
    { repo, cause, delivery }: { repo: { id: number }; cause: string; delivery: string },
  ) => (await records.causes.take(repo.id, cause, delivery)) !== delivery;
  const host = { services, signal, operator: {}, inputs: {}, self, causeTaken } as unknown as Host;
  const [reading] = trigger;
  if (!reading || reading.kind === 'ignore') throw new Error('nothing starts this run');
  await causeTaken(SessionId('s'), reading);
  const auth = github.createToken({ actions: NAME });
  const access = {
    github: createGitHub({ auth, apiUrl: github.apiUrl }),
    ...{ repo: { owner: 'acme', repo: 'shop' }, self, ownLogin: self.botLogin },
    permissionOf: async () => ({ kind: 'known', permission: 'write' }),
  } as unknown as RepositoryAccess;
  const turn = { kind: 'turn', job: 'fix', request: '', permission: 'write', reading };
  const surface = new RecordingSurface();
  const job = {
    access,
    config: DEFAULT_CONFIG,
    turn,
    session: SessionId('s'),
    signal,
    surface,
  } as unknown as JobRequest;
  const run = () =>
    new Promise<JobOutcome>((resolve) => {
      const end = () => resolve({} as JobOutcome);
      ended.signal.addEventListener('abort', end);
      setTimeout(end, waitMs).unref();
    });
  await whilePolling(job, () => host, run, pollingStart(trigger, now()), { firstMs: 20, longestMs: 20 });
  return stopped;
}

async function newIssue(): Promise<void> {
  issue = (await github.openIssue(NAME, { by: 'tom', title: 'A slip', body: '' })).number;
}

describe('bot-hosts', () => {
  it('H12 S2 a `/dsh stop` that was written while the runner was started is heard, although its own run waits for this one', async () => {
    await newIssue();
    await github.comment(NAME, issue, { by: 'maria', body: '/dsh fix' });
    const trigger = latest();
    const { id } = await github.comment(NAME, issue, { by: 'maria', body: '/dsh stop' });

    expect(await runUntilStopped(trigger, 90_000, 10_000)).toEqual([`comment-${id}`]);
  });

  it('H12 what was written before the comment that started a run is none of its business, nor is that comment itself', async () => {
    await newIssue();
    const before = await github.comment(NAME, issue, { by: 'maria', body: '/dsh stop' });
    const { id } = await github.comment(NAME, issue, { by: 'maria', body: '/dsh fix' });
    const [said] = latest();
    if (!said || said.kind === 'ignore') throw new Error('nothing was said');
    const at = said.saidAt! + 5_000;

    expect(pollingStart([{ ...said, saidAt: at }], new Date(at + 60_000))).toEqual({ since: new Date(at), seen: [id] });
    expect(await runUntilStopped([{ ...said, saidAt: at }], 60_000, 300)).toEqual([]);
    expect(before.id).not.toBe(id);
  });

  it('H12 where nothing tells when a run was asked for, and where our clock is behind, comments count from now on', () => {
    const now = new Date(1_000_000);

    expect(pollingStart([], now)).toEqual({ since: now, seen: [] });
    expect(pollingStart([{ kind: 'ignore', why: 'draft' }], now)).toEqual({ since: now, seen: [] });
    const said = { ...latest()[0]!, saidAt: 2_000_000 } as Reading;
    expect(pollingStart([said], now).since).toEqual(now);
  });
});
