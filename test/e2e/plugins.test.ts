import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { NdjsonAdapter } from '../../examples/plugins/ndjson-adapter.ts';
import type { AnswerLine } from '../../examples/plugins/ndjson-adapter.ts';
import { onCallTool } from '../../examples/plugins/on-call-tool.ts';
import { protectedPaths } from '../../examples/plugins/protected-paths.ts';
import { reopenedIssue } from '../../examples/plugins/reopened-issue.ts';
import { replaySession } from '../../src/cli/replay.ts';
import { SessionId } from '../../src/harness/session/types.ts';
import type { SessionEvent, SessionEventType } from '../../src/harness/session/types.ts';
import { openSqliteSessions } from '../../src/store/sqlite/sqlite-persistence.ts';
import { viaApp } from './support/hosts.ts';
import type { AppRun } from './support/hosts.ts';
import { botComments, repositoryOf } from './support/look.ts';
import { SMALL_FILES, SMALL_ISSUE } from './support/small-repository.ts';
import { openStage } from './support/stage.ts';
import type { Stage, Subject } from './support/stage.ts';

/** One bot with all four examples: a reopened issue wakes the model, which asks who is on call and may not write. */
const ANSWERS: AnswerLine[][] = [
  [
    { call: { id: 'c1', name: 'on_call', arguments: { team: 'greetings' } } },
    { call: { id: 'c2', name: 'read', arguments: { file_path: 'greet.txt' } } },
  ],
  [
    { text: 'Rita is on call; greet.txt still says helo.' },
    { cite: { title: 'greet.txt', url: 'https://example.com' } },
  ],
];

let stage: Stage;
let subject: Subject;
let run: AppRun;
let sessionId: string;
let events: readonly SessionEvent[];

beforeAll(async () => {
  stage = await openStage();
  subject = await stage.addIssue('plugins', SMALL_FILES, SMALL_ISSUE);
  const answers = ANSWERS.map((lines) => lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  const fetch = async () => new Response(answers.shift() ?? '');
  const adapters = {
    handbook: new NdjsonAdapter({ url: 'http://handbook.test', fetch: fetch as typeof globalThis.fetch }),
  };
  const plugins = [onCallTool({ whoIsOnCall: async () => 'Rita' }), protectedPaths(['LICENSE'])];
  const changed = { DSH_MODEL: 'handbook/any', DSH_MODEL_BASE_URL: undefined, DEEPSEEK_API_KEY: undefined };
  const setState = (state: 'open' | 'closed') =>
    stage.github.editIssue(subject.repo, subject.number, { by: 'maria', state });
  run = await viaApp(stage, async () => void (await setState('closed'), await setState('open')), changed, plugins, {
    adapters,
    readers: [reopenedIssue],
  });
  await using sessions = openSqliteSessions({ path: join(stage.dataDir, 'dsh.sqlite') });
  expect(await sessions.list()).toHaveLength(1);
  sessionId = `gh-${repositoryOf(stage, subject.repo).id}-${subject.number}-1`;
  events = (await sessions.inspect(SessionId(sessionId))).events;
}, 120_000);

afterAll(async () => {
  expect(await stage.close()).toEqual([]);
});

function dataOf<T extends SessionEventType>(type: T): SessionEvent<T>['data'][] {
  return events.flatMap((event) => (event.type === type ? [(event as SessionEvent<T>).data] : []));
}

describe('bot-hosts', () => {
  it('H11 an event of ours starts a turn of its own kind, which stands in the log with its cause', () => {
    expect(run.handled).toMatchObject([{ status: 'completed', outcome: { produced: { kind: 'answer' } } }]);
    expect(dataOf('turn/start')).toEqual([
      {
        turn: 1,
        trigger: {
          kind: 'issue-reopened',
          issue: subject.number,
          by: 'maria',
          cause: expect.stringMatching(/^reopened-/),
          delivery: expect.any(String),
        },
      },
    ]);
    expect(dataOf('user/message')).toMatchObject([{ source: { kind: 'issue-reopened' } }]);
  });

  it('H11 the model of an added adapter is asked, and its answer is told on the issue', () => {
    expect(dataOf('request/header')).toMatchObject([{ header: { config: { provider: 'handbook', model: 'any' } } }]);
    expect(dataOf('assistant/message').at(-1)).toMatchObject({ content: [{ type: 'text' }, { type: 'citation' }] });
    expect(botComments(stage, subject)[0]?.body).toContain('Rita is on call');
  });

  it('H11 a tool of a plugin is offered to the job beside its own, and runs', () => {
    const offered = dataOf('request/header')[0]?.header.tools ?? [];

    expect(offered.map(({ name }) => name)).toEqual(['read', 'grep', 'glob', 'bash', 'on_call']);
    expect(dataOf('on-call/looked-up')).toEqual([{ turn: 1, team: 'greetings', person: 'Rita' }]);
    expect(dataOf('tool/result')).toMatchObject([{ isError: false }, { isError: false }]);
    expect(JSON.stringify(dataOf('tool/result')[1])).toContain('helo world');
  });
});

describe('session', () => {
  it('S24 S29 the stored log of a real job proves every request, and gives the same ones when it runs again', async () => {
    const said: string[] = [];
    const output = { say: (line: string) => void said.push(line), result: () => {} };

    const code = await replaySession(sessionId, { rerun: true }, { DSH_DATA_DIR: stage.dataDir }, output);

    expect(said).toEqual([
      expect.stringMatching(/^turn 1 step 1 {2}2 messages {2}\w{12} {2}equal, rerun equal$/),
      expect.stringMatching(/^turn 1 step 2 {2}5 messages {2}\w{12} {2}equal, rerun equal$/),
      `${sessionId}: 2 requests rebuilt from the log: 2 equal.`,
      '1 turns run again: 2 requests equal.',
    ]);
    expect(code).toBe(0);
  });
});
