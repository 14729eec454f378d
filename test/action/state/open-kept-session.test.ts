import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openKeptSession } from '../../../src/action/state/open-kept-session.ts';
import type { RepositoryAccess } from '../../../src/bot/job/job.ts';
import { startGitHub } from '../../../src/demo/github/start-github.ts';
import type { GitHubServer } from '../../../src/demo/github/start-github.ts';
import { createGitHub } from '../../../src/github/client.ts';
import { SessionId } from '../../../src/harness/session/types.ts';
import { openMemoryStore } from '../../../src/store/open-store.ts';
import type { ReadSubject } from '../../../src/triggers/reading.ts';
import { headerOf } from '../../store/contract-storage.ts';
import { LogWriter } from '../../harness/session/session-fixture.ts';

const NAME = 'acme/shop';
let github: GitHubServer;
let repoId: number;

beforeAll(async () => {
  github = await startGitHub();
  await github.addRepository({ owner: 'acme', name: 'shop', files: { 'a.txt': 'a\n' } });
  repoId = github.state.findRepository(NAME)!.id;
  await github.openIssue(NAME, { by: 'tom', title: 'A slip', body: '' });
  await github.push(NAME, { by: 'maria', branch: 'more', files: { 'b.txt': 'b\n' } });
  await github.openPull(NAME, { by: 'maria', title: 'More', head: 'more', base: 'main' });
});
afterAll(() => github.close());

/** Where a session is kept after a run for an event about pull request 3 in which it got a log. */
async function keptAt(markedSession: string | undefined, session: string, kind: 'artifact' | 'ref' = 'artifact') {
  const repository = github.state.findRepository(NAME)!;
  repository.artifacts = [];
  const repo = { owner: 'acme', repo: 'shop', id: repoId, private: false, defaultBranch: 'main' };
  const auth = github.createToken({ actions: NAME });
  const access = { github: createGitHub({ auth, apiUrl: github.apiUrl }), repo } as unknown as RepositoryAccess;
  const store = { ...openMemoryStore(() => new Date()), spillsOf: () => '/nowhere' };
  const marked = markedSession === undefined ? undefined : SessionId(markedSession);
  const reading = { kind: 'remark', repo, subject: { kind: 'pull', number: 3 }, markedSession: marked };
  const runId = github.state.nextId();
  const variables = {
    ACTIONS_RESULTS_URL: github.url,
    ACTIONS_RUNTIME_TOKEN: github.createRuntimeToken(NAME, runId),
    GITHUB_RUN_ID: String(runId),
  };
  const keeping = { kind, variables, access, store, apiKey: 'sk-key', isRunAgain: () => false, log: () => {} };
  const signal = AbortSignal.timeout(20_000);
  const kept = await openKeptSession(reading as unknown as ReadSubject, keeping, signal);
  await store.sessions.create(headerOf(session));
  await store.sessions.append(SessionId(session), new LogWriter().startTurn().session.events);
  expect(await kept.save(signal)).toBe('saved');
  return repository.artifacts.map(({ name }) => name);
}

describe('bot-hosts', () => {
  it.each([
    ['by its own name', undefined, 'gh-R-3-1', 'dsh-session-pull-3'],
    ["by its issue's where it goes on with that", 'gh-R-1-1', 'gh-R-1-1', 'dsh-session-issue-1'],
    ["by another pull request's", 'gh-R-2-1', 'gh-R-2-1', 'dsh-session-pull-2'],
    ['by an issue that is gone', 'gh-R-99-1', 'gh-R-99-1', 'dsh-session-issue-99'],
    ['in a later generation of its issue, of which nothing is kept', 'gh-R-1-4', 'gh-R-1-4', 'dsh-session-issue-1'],
    ['by its own, whatever session of another repository it names', 'gh-999-1-1', 'gh-R-3-1', 'dsh-session-pull-3'],
  ])('H9 T9 what a pull request left is kept %s', async (_how, marked, session, name) => {
    const here = (id: string) => id.replace('R', String(repoId));

    expect(await keptAt(marked && here(marked), here(session))).toEqual([name]);
  });

  it('H9 T9 the same with `state: ref`', async () => {
    expect(await keptAt(`gh-${repoId}-1-1`, `gh-${repoId}-1-1`, 'ref')).toEqual([]);

    const refs = await github.state.git(github.state.findRepository(NAME)!).text(['for-each-ref', 'refs/dsh']);
    expect(refs).toMatch(/refs\/dsh\/issue\/1$/);
  });
});
