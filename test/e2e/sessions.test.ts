import { stat } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { refuses, says } from '../../src/demo/model/reply.ts';
import type { Reply } from '../../src/demo/model/reply.ts';
import { FIX_SCRIPT } from '../../src/demo/story/fix-script.ts';
import { ISSUE } from '../../src/demo/story/repository.ts';
import type { SessionEvent } from '../../src/harness/session/types.ts';
import { rebuildRequests } from '../../src/harness/session/rebuild-request.ts';
import { requestDigest } from '../../src/harness/session/request-digest.ts';
import { DEEPSEEK } from '../../src/models/dialect.ts';
import { RequestWriter } from '../../src/models/request-body.ts';
import { openSqliteSessions } from '../../src/store/sqlite/sqlite-persistence.ts';
import { viaApp, viaCli } from './support/hosts.ts';
import { repositoryOf } from './support/look.ts';
import { runDsh } from './support/run-dsh.ts';
import { commonVariables, openStage } from './support/stage.ts';
import type { Stage } from './support/stage.ts';

/** A whole fix and a question after it in one session, whose log the command line then reads. */
let stage: Stage;
let session: string;

const HICCUP: Reply = refuses(503, 'overloaded', { 'retry-after': '0' });

beforeAll(async () => {
  stage = await openStage();
  const { repo, number } = await stage.addIssue('logged');
  session = `gh-${repositoryOf(stage, repo).id}-1-1`;
  stage.play([...FIX_SCRIPT.slice(0, 2), HICCUP, ...FIX_SCRIPT.slice(2)]);
  await viaApp(stage, () => stage.github.comment(repo, number, { by: 'maria', body: '/dsh fix' }));
  stage.play([says('Each unit is added to the total.')]);
  await viaApp(stage, () => stage.github.comment(repo, number, { by: 'maria', body: '/dsh ask how does it add up?' }));
}, 60_000);

afterAll(async () => {
  expect(await stage.close()).toEqual([]);
});

const sessions = (...args: string[]) => runDsh(['sessions', ...args], commonVariables(stage));

async function exported(): Promise<Record<string, unknown>[]> {
  const { stdout, code } = await sessions('export', session);
  expect(code).toBe(0);
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

describe('cases', () => {
  it('the log of the run lies in one file below the data directory, which only its owner can read', async () => {
    const file = `${stage.dataDir}/dsh.sqlite`;
    await using stored = openSqliteSessions({ path: file });

    expect((await stored.list()).map(({ id }) => id)).toEqual([session]);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
  });

  it('`sessions export` gives the header and every event, a JSON document a line', async () => {
    const [header, ...events] = await exported();

    expect(header).toMatchObject({ type: 'session', id: session });
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, at) => at));
    const types = events.map(({ type }) => type);
    for (const type of [
      'turn/start',
      'user/message',
      'request/header',
      'tool/call',
      'tool/result',
      'llm/retry',
      'verify/result',
      'publish/done',
      'turn/end',
    ]) {
      expect(types).toContain(type);
    }
    expect(types.filter((type) => type === 'turn/start')).toHaveLength(2);
  });

  it('every request the model server saw is rebuilt from the log, byte for byte, failed attempts too', async () => {
    const [, ...events] = await exported();
    const log = events as unknown as SessionEvent[];

    const rebuilt = [...rebuildRequests(log)];
    const writer = new RequestWriter(DEEPSEEK);
    const bodies = rebuilt.map(({ request }) => writer.write(request));
    const seen = stage.model.requests.map(({ raw }) => raw);

    expect(new Set(bodies)).toEqual(new Set(seen));
    expect(seen.filter((raw, at) => raw !== seen[at - 1])).toEqual(
      bodies.filter((body, at) => body !== bodies[at - 1]),
    );
    // A failed attempt, a second look at the change, an answer.
    expect(seen).toHaveLength(FIX_SCRIPT.length + 3);
    expect(rebuilt.map(({ request }) => requestDigest(request))).toEqual(rebuilt.map(({ sha256 }) => sha256));
  });

  it('`sessions list` names it, in lines and as JSON', async () => {
    const lines = await sessions('list');
    const json = await viaCli(stage, ['sessions', 'list']);

    expect(lines.code).toBe(0);
    expect(lines.stdout.split('\n')[1]).toMatch(new RegExp(`^${session} .* completed .*${ISSUE.title}$`));
    expect(json.json).toMatchObject({ exitCode: 0, result: [{ id: session }] });
  });

  it('`sessions show` reads like the story of both turns', async () => {
    const { code, stdout } = await sessions('show', session);

    expect(code).toBe(0);
    const places = [
      '## Turn 1 · github-command',
      '**Request:** Fix this issue.',
      'npm test',
      '**submit_result**',
      'Accepted.',
      '_Ended: completed_',
      '## Turn 2',
      'how does it add up?',
      'Each unit is added to the total.',
    ];
    const found = places.map((text) => stdout.indexOf(text));
    expect(found).not.toContain(-1);
    expect(found).toEqual([...found].sort((a, b) => a - b));
  });

  it('an unknown session is a usage error that says where to look', async () => {
    const { code, stderr } = await sessions('show', 'gh-0-0-0');

    expect(code).toBe(2);
    expect(stderr).toContain('There is no session gh-0-0-0');
    expect(stderr).toContain('dsh sessions list');
  });
});
