import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { ArtifactPlace } from '../../../src/action/state/artifact-place.ts';
import type { LocalStore } from '../../../src/action/state/local-session.ts';
import { writeSpills } from '../../../src/action/state/spill-files.ts';
import { KeptSession } from '../../../src/action/state/kept-session.ts';
import { RefPlace } from '../../../src/action/state/ref-place.ts';
import { ResultsService } from '../../../src/action/state/results-service.ts';
import type { StatePlace } from '../../../src/action/state/state-place.ts';
import { zipFile } from '../../../src/action/state/zip-file.ts';
import { startGitHub } from '../../../src/demo/github/start-github.ts';
import type { GitHubServer } from '../../../src/demo/github/start-github.ts';
import { createGitHub } from '../../../src/github/client.ts';
import { SessionId } from '../../../src/harness/session/types.ts';
import { openMemoryStore } from '../../../src/store/open-store.ts';
import type { HumanRequest } from '../../../src/store/records.ts';
import { LogWriter, loneSession } from '../../harness/session/session-fixture.ts';
import { headerOf } from '../../store/contract-storage.ts';
import { openapiValidator } from '../../support/openapi-validator.ts';

const NAME = 'dsh-session-issue-7';
const SPILL = 'session-0a1b/42-out.txt';
const SNAPSHOT = { base: 'a'.repeat(40), digest: 'd'.repeat(64), bytes: Buffer.from([0, 255, 10, 13]) };
let github: GitHubServer;
let repoId: number;
let root: string;
let count = 0;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'dsh-kept-'));
  github = await startGitHub({ validate: openapiValidator({ responses: true }) });
});
beforeEach(async () => {
  const name = `kept-${count++}`;
  await github.addRepository({ owner: 'acme', name, files: { 'a.txt': 'a\n' } });
  repoId = github.state.findRepository(`acme/${name}`)!.id;
});
afterAll(async () => {
  await github.close();
  await rm(root, { recursive: true });
});

const repository = () => github.state.repositories.find(({ id }) => id === repoId)!;
const sessionId = (generation = 1) => SessionId(`gh-${repoId}-7-${generation}`);

interface Wanted {
  readonly kind?: 'artifact' | 'ref';
  readonly apiKey?: string;
  readonly permissions?: Record<string, 'read' | 'write'>;
  readonly runId?: number;
  readonly place?: (place: StatePlace) => StatePlace;
}

/** A run with a store of its own, which knows of the session what earlier runs kept. */
async function startRun(wanted: Wanted = {}) {
  const { kind = 'artifact', apiKey = 'sk-key', permissions, runId = github.state.nextId() } = wanted;
  const { name, defaultBranch } = repository();
  const repo = { owner: 'acme', repo: name };
  const token = github.createToken({ actions: `acme/${name}`, ...(permissions && { permissions }) });
  const client = createGitHub({ auth: token, apiUrl: github.apiUrl });
  const runtime = github.createRuntimeToken(`acme/${name}`, runId);
  const results = new ResultsService({ url: github.url, token: runtime });
  const own: StatePlace =
    kind === 'ref'
      ? new RefPlace({ github: client, repo, ref: 'refs/dsh/issue/7' })
      : new ArtifactPlace({ github: client, repo, name: NAME, results, run: String(runId) });
  const spills = await mkdtemp(join(root, 'spill-'));
  const store: LocalStore = { ...openMemoryStore(() => new Date()), spillsOf: (session) => join(spills, session) };
  const lines: string[] = [];
  const kept = new KeptSession({
    ...{ place: wanted.place?.(own) ?? own, apiKey, store, number: 7, named: sessionId() },
    repo: { ...repo, id: repoId, private: false, defaultBranch },
    isRunAgain: (delivery) => delivery.startsWith(`run-${runId}-`),
    log: (line) => lines.push(line),
  });
  const signal = AbortSignal.timeout(20_000);
  await kept.restore(signal);
  return { kept, store, lines, runId, save: () => kept.save(signal) };
}

/** Makes a log of one turn and all that hangs on it, or adds a turn to it. */
async function work({ sessions, records, spillsOf }: LocalStore, { asked = 'ap_1' } = {}): Promise<void> {
  const id = sessionId();
  if (await sessions.has(id)) {
    const { events } = await sessions.inspect(id);
    const writer = new LogWriter(loneSession(events)).startTurn().prompt('And more').endTurn();
    return sessions.append(id, writer.session.events.slice(events.length));
  }
  const writer = new LogWriter().startTurn().prompt('Mend it').startStep();
  for (const part of ['a', 'b', 'c', 'd']) writer.chunk(part);
  writer.session.append('human/asked', { turn: 1, request: asked, kind: 'approval' });
  writer.endStep().endTurn();
  await sessions.create(headerOf(id, { cwd: '/w' }));
  await sessions.append(id, writer.session.events);
  await sessions.create(headerOf('child', { parentSession: id }));
  await sessions.append(SessionId('child'), new LogWriter().startTurn().session.events);
  await records.requests.add(request(asked));
  await records.snapshots.put(id, SNAPSHOT);
  await writeSpills(spillsOf(id), [{ path: SPILL, bytes: Buffer.from('a long text') }]);
  await records.subjects.assign(repoId, 7, id);
  await records.subjects.assign(repoId, 9, id);
  await records.settings.set(id, { model: 'deepseek/other' });
  await records.causes.take(repoId, 'comment-1', 'read-1');
}

function request(id: string): HumanRequest {
  return {
    ...{ id, kind: 'approval', session: sessionId(), repo: repoId, turn: 1, callId: undefined, tool: 'bash' },
    ...{ digest: 'd', data: { command: 'rm' }, job: { job: 'fix' }, askedOf: { id: 5, login: 'maria' } },
    ...{ commentId: 12, askedAt: 1_000, expiresAt: 9_000, state: 'pending', answer: undefined },
  };
}

/** What a store holds of the session, as far as the next run needs it. */
async function heldBy({ sessions, records, spillsOf }: LocalStore) {
  const id = sessionId();
  return {
    log: await sessions.inspect(id),
    child: await sessions.inspect(SessionId('child')),
    open: await records.requests.openOf(id),
    snapshot: await records.snapshots.latest(id),
    subjects: await records.subjects.of(id),
    settings: await records.settings.get(id),
    cause: await records.causes.holder(repoId, 'comment-1'),
    spill: await readFile(join(spillsOf(id), SPILL), 'utf8'),
  };
}

describe('bot-hosts', () => {
  it.each(['artifact', 'ref'] as const)(
    'H9 H12 kept as %s, all of a session is there in the next run',
    async (kind) => {
      const first = await startRun({ kind });
      expect(await first.save()).toBe('unchanged');
      await work(first.store);
      expect(await first.save()).toBe('saved');

      const second = await startRun({ kind });

      expect(await heldBy(second.store)).toEqual({ ...(await heldBy(first.store)), snapshot: expect.anything() });
      expect(Buffer.from((await heldBy(second.store)).snapshot!.bytes)).toEqual(SNAPSHOT.bytes);
      expect(second.kept.wasAskedBefore('ap_1')).toBe(true);
      expect(await second.save()).toBe('unchanged');
      await work(second.store);
      expect(await second.save()).toBe('saved');
      const third = await startRun({ kind });
      expect((await heldBy(third.store)).log.events).toHaveLength((await heldBy(second.store)).log.events.length);
      expect(third.lines).toEqual([expect.stringContaining('state 2 of')]);
    },
  );

  it.each(['artifact', 'ref'] as const)(
    'H9 of two runs at once, kept as %s, the one that saves later saves nothing and is told',
    async (kind) => {
      const before = await startRun({ kind });
      await work(before.store);
      await before.save();
      const [early, late] = [await startRun({ kind }), await startRun({ kind })];
      await work(early.store);
      await work(late.store);
      await work(early.store);

      expect(await early.save()).toBe('saved');
      expect(await late.save()).toBe('lost');

      const next = await startRun({ kind });
      expect((await heldBy(next.store)).log.events).toHaveLength((await heldBy(early.store)).log.events.length);
    },
  );

  it('H9 a ref that moves between look and save is left as it is', async () => {
    const first = await startRun({ kind: 'ref' });
    await work(first.store);
    const other = await startRun({ kind: 'ref' });
    await work(other.store);
    const place = (own: StatePlace): StatePlace => ({
      ...{ name: own.name, run: own.run, maxBytes: own.maxBytes, find: (signal) => own.find(signal) },
      save: async (...saving) => {
        await other.save();
        return own.save(...saving);
      },
    });
    const late = await startRun({ kind: 'ref', place });
    await work(late.store);

    expect(await late.save()).toBe('lost');
  });

  it("H9 what another key sealed, what is no state and what is another session's is ignored, and said; the session begins afresh", async () => {
    const first = await startRun({ apiKey: 'sk-old' });
    await work(first.store);
    await first.save();
    const [old] = repository().artifacts;
    github.addArtifact(repository(), NAME, Buffer.from('no zip'), 1);
    github.addArtifact(repository(), NAME, zipFile('session.sealed', Buffer.from('no state')), 2);

    const second = await startRun({ apiKey: 'sk-new' });

    expect(await second.store.sessions.list()).toEqual([]);
    expect(second.lines).toHaveLength(3);
    expect(second.lines[2]).toBe(
      `the artifact ${NAME} (${old!.id}) was not made by this workflow with this key, and is ignored`,
    );
    await work(second.store);
    expect(await second.save()).toBe('saved');
    expect((await startRun({ apiKey: 'sk-new' })).lines.at(-1)).toContain('state 1 of');
  });

  it('H9 no fork can push the state out of sight, nor bring an older one back', async () => {
    const first = await startRun({ permissions: { actions: 'read' } });
    await work(first.store);
    await first.save();
    const old = repository().artifacts[0]!.zip;
    const second = await startRun({ permissions: { actions: 'read' } });
    await work(second.store);
    await second.save();
    const fork = await github.addFork(repository(), `tom-${count}`);
    for (const zip of [...Array.from({ length: 40 }, () => zipFile('session.sealed', Buffer.from('x'))), old])
      github.addArtifact(repository(), NAME, zip, github.state.nextId()).headRepositoryId = fork.id;

    const third = await startRun();

    expect(third.lines.at(-1)).toContain('state 2 of');
  });

  it('H9 the state before is deleted where the token may, in the same run replaced, and else left to expire', async () => {
    const first = await startRun();
    await work(first.store);
    await first.save();
    await work(first.store);
    const [before] = repository().artifacts;
    const again = await startRun({ runId: first.runId });
    await work(again.store);
    expect(await again.save()).toBe('saved');
    expect(repository().artifacts.map(({ id }) => id)).not.toContain(before!.id);
    expect(repository().artifacts).toHaveLength(1);

    const reader = await startRun({ permissions: { actions: 'read' } });
    await work(reader.store);
    expect(await reader.save()).toBe('saved');
    expect(repository().artifacts).toHaveLength(2);
  });

  it('H9 a run that is run again may begin once more what its earlier attempt began', async () => {
    const first = await startRun();
    await work(first.store);
    await first.store.records.causes.take(repoId, 'comment-2', `run-${first.runId}-1`);
    await first.save();

    const again = await startRun({ runId: first.runId });
    const other = await startRun();

    const holders = [again, other].map(({ store }) => store.records.causes.holder(repoId, 'comment-2'));
    expect(await Promise.all(holders)).toEqual([undefined, `run-${first.runId}-1`]);
  });

  it('H9 T9 after `forget` the next run begins the next generation, without what was forgotten', async () => {
    const first = await startRun();
    await work(first.store);
    await first.save();
    const second = await startRun();
    await second.store.records.settings.erase(sessionId());
    await second.store.records.subjects.assign(repoId, 7, sessionId(2));
    expect(await second.save()).toBe('saved');

    const third = await startRun();

    expect(await third.store.sessions.list()).toEqual([]);
    expect(await third.kept.session()).toBe(sessionId(2));
  });

  it('H9 a token that may not read artifacts, and a session that is too large, are told with what to do', async () => {
    repository().private = true;
    await expect(startRun({ permissions: { contents: 'read' } })).rejects.toMatchObject({
      code: 'STATE_UNAVAILABLE',
      hint: expect.stringContaining('actions: read'),
    });
    github.addArtifact(repository(), NAME, Buffer.from('x'), 1);
    const faults = [403, 410].map((status) => ({ match: { path: /artifacts\/\d+\/zip$/ }, status }));
    github.faults.inject(faults[0]!);
    await expect(startRun()).rejects.toMatchObject({ code: 'STATE_UNAVAILABLE' });
    github.faults.inject(faults[1]!);
    expect((await startRun()).lines).toHaveLength(1);
    repository().artifacts = [];
    const place = (own: StatePlace): StatePlace => ({
      ...{ name: own.name, run: own.run, maxBytes: 100, find: (signal) => own.find(signal) },
      save: (...saving) => own.save(...saving),
    });
    const run = await startRun({ place });
    await work(run.store);
    await expect(run.save()).rejects.toMatchObject({ code: 'STATE_TOO_LARGE' });
    expect(repository().artifacts).toEqual([]);
  });

  it('H9 what fails for a moment while it is uploaded is tried again', async () => {
    github.faults.inject({ match: { method: 'PUT' }, status: 503 });
    github.faults.inject({ match: { path: /FinalizeArtifact/ }, status: 500 });
    const run = await startRun();
    await work(run.store);

    expect(await run.save()).toBe('saved');
    expect((await startRun()).lines).toHaveLength(1);
  });

  it('H9 a download that only fails for the moment is tried again, and is never taken for a state that is not there', async () => {
    const first = await startRun();
    await work(first.store);
    await first.save();
    const download = { path: /\/-\/artifacts\// };
    github.faults.inject({ match: download, status: 503 });
    github.faults.inject({ match: download, status: 429 });
    expect((await startRun()).lines).toEqual([expect.stringContaining('state 1 of')]);

    const restore = github.faults.inject({ match: download, status: 503, times: 3 });
    await expect(startRun()).rejects.toMatchObject({
      code: 'ARTIFACTS_REFUSED',
      message: expect.stringMatching(/^127\.0\.0\.1:\d+ answered 503 to the download/),
      hint: expect.stringContaining('Run the workflow again'),
    });
    restore();
    github.faults.inject({ match: download, status: 404 });
    expect((await startRun()).lines).toEqual([expect.stringContaining('is gone, or nothing that this workflow makes')]);
  });

  it('H9 the address of a download gets no token, wherever it is', async () => {
    const first = await startRun();
    await work(first.store);
    await first.save();
    const { zip } = repository().artifacts[0]!;
    const asked: (string | undefined)[] = [];
    const storage = createServer((request, response) => {
      asked.push(request.headers.authorization);
      response.end(zip);
    });
    await new Promise<void>((resolve) => storage.listen(0, '127.0.0.1', resolve));
    const location = `http://localhost:${(storage.address() as AddressInfo).port}/signed`;
    github.faults.inject({ match: { path: /artifacts\/\d+\/zip$/ }, status: 302, headers: { location } });

    const second = await startRun();
    storage.close();
    storage.closeAllConnections();

    expect(second.lines).toEqual([expect.stringContaining('state 1 of')]);
    expect(asked).toEqual([undefined]);
  });

  it.each([500, 410])(
    'H9 a state is kept although GitHub answers %i to the deletion of the one before',
    async (status) => {
      const first = await startRun();
      await work(first.store);
      await first.save();
      const second = await startRun();
      await work(second.store);
      github.faults.inject({ match: { method: 'DELETE' }, status, times: 9 });

      expect(await second.save()).toBe('saved');
      github.faults.clear();
      expect((await startRun()).lines.at(-1)).toContain('state 2 of');
    },
  );

  it('H9 no number of artifacts of forks pushes the state out of sight', async () => {
    const first = await startRun();
    await work(first.store);
    await first.save();
    const fork = await github.addFork(repository(), `tom-${count}`);
    for (let made = 0; made < 230; made++)
      github.addArtifact(repository(), NAME, Buffer.from('x'), github.state.nextId()).headRepositoryId = fork.id;

    expect((await startRun()).lines.at(-1)).toContain('state 1 of');
  });

  it('H9 what a run for the pull request of a fork kept (`pull_request_target`) is found behind any number of older ones', async () => {
    const reader = { actions: 'read' } as const;
    for (let state = 1; state <= 4; state++) {
      const run = await startRun({ permissions: reader });
      await work(run.store);
      await run.save();
    }
    const fork = await github.addFork(repository(), `tom-${count}`);
    const target = await startRun({ permissions: reader });
    await work(target.store);
    await target.save();
    repository().artifacts.at(-1)!.headRepositoryId = fork.id;

    expect((await startRun()).lines.at(-1)).toContain('state 5 of');
  });

  it('H9 what a run kept is worth nothing as the artifact of another, even where no other is left', async () => {
    const first = await startRun();
    await work(first.store);
    await first.save();
    const { zip } = repository().artifacts[0]!;
    const fork = await github.addFork(repository(), `tom-${count}`);
    repository().artifacts = [];
    github.addArtifact(repository(), NAME, zip, github.state.nextId()).headRepositoryId = fork.id;
    github.addArtifact(repository(), NAME, zip, github.state.nextId());

    const next = await startRun();

    expect(await next.store.sessions.list()).toEqual([]);
    expect(next.lines.map((line) => /was not made by this workflow/.test(line))).toEqual([true, true]);
  });

  it.each([
    ['404, as for a token that may not', 404, {}, 'STATE_UNAVAILABLE'],
    ['403', 403, {}, 'STATE_UNAVAILABLE'],
    ['a limit', 403, { 'retry-after': '60' }, 'NOT_NAMED'],
  ])(
    'H9 GitHub answers %s to the listing: a permission is named where one is missing',
    async (_what, status, headers, code) => {
      const refusal = Object.assign(new Error('no'), { status, response: { headers }, code: 'NOT_NAMED' });
      const client = { rest: { actions: { listArtifactsForRepo: () => Promise.reject(refusal) } } };
      const options = { github: client, repo: { owner: 'acme', repo: 'x' }, name: NAME, run: '1' };
      const place = new ArtifactPlace(options as unknown as ConstructorParameters<typeof ArtifactPlace>[0]);

      await expect(place.find(AbortSignal.timeout(1_000)).next()).rejects.toMatchObject({ code });
    },
  );

  it.each(['CreateArtifact', 'FinalizeArtifact'])(
    'H9 a service that answers no to %s is told in words',
    async (method) => {
      const run = await startRun();
      await work(run.store);
      github.faults.inject({ match: { path: new RegExp(method) }, status: 200 });

      await expect(run.save()).rejects.toMatchObject({ message: 'The service for artifacts did not take it.' });
    },
  );

  it('H9 with `state: ref` the permission that is missing is named, for reading and for writing', async () => {
    const named = (what: string) => ({ code: 'STATE_UNAVAILABLE', hint: expect.stringContaining(`contents: ${what}`) });
    const reader = await startRun({ kind: 'ref', permissions: { contents: 'read' } });
    await work(reader.store);
    await expect(reader.save()).rejects.toMatchObject(named('write'));

    github.faults.inject({ match: { path: /\/git\/ref\// }, status: 403 });
    await expect(startRun({ kind: 'ref' })).rejects.toMatchObject(named('read'));

    const ruled = await startRun({ kind: 'ref' });
    await work(ruled.store);
    const errors = [{ type: 'UNPROCESSABLE', message: 'Repository rule violations found' }];
    github.faults.inject({ match: { path: /graphql$/ }, status: 200, body: { data: null, errors } });
    await expect(ruled.save()).rejects.toMatchObject({
      message: expect.stringMatching(/^GitHub did not move refs\/dsh\/issue\/7: .*Repository rule/s),
      hint: expect.stringContaining('rule of the repository'),
    });
  });

  it('H9 a ref that a person deleted, or made name something else, is made anew with what the run knows', async () => {
    const first = await startRun({ kind: 'ref' });
    await work(first.store);
    await first.save();
    const second = await startRun({ kind: 'ref' });
    await work(second.store);
    await github.state.git(repository()).text(['update-ref', '-d', 'refs/dsh/issue/7']);
    expect(await second.save()).toBe('saved');
    expect((await startRun({ kind: 'ref' })).lines).toEqual([expect.stringContaining('state 2 of')]);

    const git = github.state.git(repository());
    const tree = (await git.text(['rev-parse', 'refs/heads/main^{tree}'])).trim();
    await git.text(['update-ref', 'refs/dsh/issue/7', tree]);
    const third = await startRun({ kind: 'ref' });
    expect(third.lines).toEqual([expect.stringContaining('is gone, or nothing that this workflow makes')]);
    await work(third.store);
    expect(await third.save()).toBe('saved');
  });

  it('H9 a job that waited while the repository or its default branch was renamed goes on under the new names', async () => {
    const first = await startRun();
    await work(first.store);
    const old = { id: repoId, owner: 'acme', repo: 'old', private: false, defaultBranch: 'master' };
    const job = { turn: { kind: 'turn', job: 'fix', reading: { kind: 'command', repo: old } } };
    await first.store.records.requests.add({ ...request('ap_2'), job } as unknown as HumanRequest);
    const id = sessionId();
    const { events } = await first.store.sessions.inspect(id);
    const writer = new LogWriter(loneSession(events)).startTurn();
    writer.session.append('human/asked', { turn: 2, request: 'ap_2', kind: 'approval' });
    await first.store.sessions.append(id, writer.session.events.slice(events.length));
    await first.save();

    const second = await startRun();

    const { repo } = ((await second.store.records.requests.get('ap_2'))!.job as unknown as typeof job).turn.reading;
    expect(repo).toEqual({ ...old, repo: repository().name, defaultBranch: repository().defaultBranch });
    expect(await second.save()).toBe('unchanged');
  });

  it('H9 a save whose last answer is lost on its way was made, and is told so', async () => {
    const run = await startRun();
    await work(run.store);
    github.faults.inject({ match: { path: /FinalizeArtifact/ }, status: 502, applied: true });

    expect(await run.save()).toBe('saved');
    expect(repository().artifacts).toHaveLength(1);

    const other = await startRun();
    await work(other.store);
    github.faults.inject({ match: { path: /FinalizeArtifact/ }, status: 403 });
    await expect(other.save()).rejects.toMatchObject({ code: 'ARTIFACTS_REFUSED' });
  });

  it.each([
    ['was answered begins afresh, for it would be asked again', true],
    ['still waits is left as it was kept', false],
  ])('H9 a session that grew too large after its question %s', async (_what, isAnswered) => {
    const first = await startRun();
    await work(first.store);
    await first.save();
    const small = (own: StatePlace): StatePlace => ({
      ...{ name: own.name, run: own.run, maxBytes: 450, find: (signal) => own.find(signal) },
      save: (...saving) => own.save(...saving),
    });
    const second = await startRun({ place: small });
    await work(second.store);
    const answer = { actor: undefined, how: 'timeout', value: undefined, url: undefined, at: 1 } as const;
    if (isAnswered) await second.store.records.requests.settle('ap_1', 'unavailable', answer);
    const said = isAnswered ? /takes 1 MiB\. Its next command begins afresh\.$/ : /takes 1 MiB\.$/;

    await expect(second.save()).rejects.toMatchObject({
      code: 'STATE_TOO_LARGE',
      message: expect.stringMatching(said),
    });

    const third = await startRun();
    expect(await third.kept.session()).toBe(sessionId(isAnswered ? 2 : 1));
    expect(await third.store.records.requests.openOf(sessionId())).toHaveLength(isAnswered ? 0 : 1);
    expect(await third.store.sessions.list()).toHaveLength(isAnswered ? 0 : 2);
    expect(await third.store.records.subjects.sessionOf(repoId, 9)).toBe(sessionId(isAnswered ? 2 : 1));
  });
});
