import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { JobOutcome } from '../../../src/bot/job/job.ts';
import { sessionIdOf } from '../../../src/bot/session/session-id.ts';
import { SESSION_FORMAT_VERSION } from '../../../src/harness/session/types.ts';
import type { SessionEvent, SessionEventType, SessionId } from '../../../src/harness/session/types.ts';
import { followUpFix } from '../../../src/intake/follow-up-fix.ts';
import type { Turn } from '../../../src/publish/progress/surface.ts';
import { WORKSPACE } from '../../../src/room/open-room.ts';
import { missedCache, stepInputs } from '../../../src/seams/token-meter/cached-input.ts';
import { openMemoryStore } from '../../../src/store/open-store.ts';
import { LAST, PLAN_STEPS, TWO_CALLS_AT, longScript } from '../support/long-script.ts';
import { WireBench } from '../support/wire-bench.ts';

const MARIA = {
  kind: 'github',
  actor: 'maria',
  association: 'MEMBER',
  permission: 'write',
  url: '',
  trusted: true,
} as const;

describe('prompts', () => {
  let bench: WireBench;
  let session: SessionId;
  let fixing: Turn;
  let events: readonly SessionEvent[];
  let outcomes: unknown[];
  beforeAll(async () => {
    bench = await WireBench.start((it) =>
      longScript({
        restart: () => it.restart(),
        steer: (text) => it.agent!.steer([{ type: 'text', text }], { source: MARIA }),
        change: () => writeFileSync(join(it.workTree, 'a.txt'), 'b\n'),
      }),
    );
    await wholeSession();
  });
  afterAll(() => bench.close());

  /** A plan that is approved, its fix with a question and a restart, and a second fix by another model. */
  async function wholeSession(): Promise<void> {
    const { people } = bench;
    const turn = await people.turn({ issue: await people.openIssue(), words: 'Mend the price.', script: [] });
    const planning = { ...turn, job: 'plan' as const };
    session = sessionIdOf(turn.reading);
    const planned = await bench.run(planning);
    const approved = await bench.run(planning, { request: await bench.answer(session, planned, 'Approve') });
    fixing = followUpFix(planning, approved.outcome as JobOutcome)!;
    const asked = await bench.run(fixing);
    const cut = await bench.run(fixing, { request: await bench.answer(session, asked, '2') });
    const fixed = await bench.run(fixing);
    const more = await people.turn({ issue: turn.reading.subject.number, job: 'fix', script: [] });
    const again = await bench.run(more, { modelName: 'deepseek-pro' });
    outcomes = [planned, approved, asked, cut, fixed, again].map(({ outcome }) =>
      Error.isError(outcome) ? (outcome as { code?: string }).code : outcome.status,
    );
    events = await people.events(session);
  }

  it('PR15 PR10 PR18 B18 each raw request begins with the one before it, but for a plan that becomes a fix, pruning, a summary and another model', () => {
    expect(bench.model.bodies).toHaveLength(LAST + 2);
    const broken = bench.model.bodies.flatMap((body, n) =>
      n === 0 || extend(body, bench.model.bodies[n - 1]!) ? [] : [n],
    );

    expect(broken).toHaveLength(4);
    expect(broken.map((n) => whyBroken(events, n))).toEqual([
      ['request/header'],
      ['tool/result'],
      ['compact/end'],
      ['request/header'],
    ]);
    expect(broken[0]).toBe(PLAN_STEPS);
    expect(broken[3]).toBe(LAST + 1);
    const [summary] = bench.model.summaries;
    expect(bench.model.summaries).toHaveLength(1);
    // It asks for less output, of what is to be condensed.
    const replayed = summary!.body
      .replace('"max_tokens":8192', '"max_tokens":65536')
      .split(',{"role":"user","content":"Condense')[0]!;
    expect(replayed.length).toBeGreaterThan(100_000);
    expect(bench.model.bodies[summary!.after - 1]!.startsWith(replayed)).toBe(true);
  });

  it('PR15 the session held all that can happen to one', () => {
    const count = (type: SessionEventType) => events.filter((event) => event.type === type).length;
    const failed = events.filter((event) => event.type === 'tool/result' && event.data.isError);

    expect(outcomes).toEqual(['parked', 'completed', 'parked', 'HANDED_BACK', 'completed', 'completed']);
    expect(Math.min(count('bot/nudge'), count('steering/message'), failed.length)).toBeGreaterThan(4);
    expect(bench.people.log).toEqual([]);
  });

  it('PR63 input is kept per step, cached and not, and a prefix cache misses nothing but at logged breaks', () => {
    const steps = stepInputs(events);

    expect(steps).toHaveLength(bench.model.bodies.length);
    expect(steps.filter(({ breaks }) => breaks.length > 0).map(({ breaks }) => breaks)).toEqual([
      ['header'],
      ['history'],
      ['history'],
      ['header'],
    ]);
    expect(missedCache(steps)).toEqual([]);
  });

  it('PR15 B18 a process that was lost between a call and its result goes on with the same bytes', async () => {
    const at = events.findIndex(
      (event) => event.type === 'tool/call' && event.data.arguments.includes(`run ${TWO_CALLS_AT}"`),
    );
    const kept = events.slice(0, at + 1);
    const sent = kept.filter(({ type }) => type === 'request/digest').length;
    const store = openMemoryStore(bench.people.now);
    await store.sessions.create({ version: SESSION_FORMAT_VERSION, id: session, createdAt: 0, cwd: WORKSPACE });
    await store.sessions.append(session, kept);

    const { outcome } = await bench.run(fixing, { store });

    expect(outcome).toMatchObject({ status: 'completed' });
    expect(bench.model.bodies.at(-1)).toContain('was lost in the middle of it');
    expect(extend(bench.model.bodies.at(-1)!, bench.model.bodies[sent - 1]!)).toBe(true);
    await store.close();
  });
});

function extend(body: string, before: string): boolean {
  return body.length > before.length && body.startsWith(before.slice(0, before.lastIndexOf(']')));
}

/** What the log tells between request `n` and the one before it. */
function whyBroken(events: readonly SessionEvent[], n: number): string[] {
  const sent = events.filter(({ type }) => type === 'request/digest');
  const between = events.slice(sent[n - 1]!.seq, sent[n]!.seq);
  const told = between.filter(
    (event) =>
      event.type === 'request/header' ||
      event.type === 'compact/end' ||
      (event.type === 'tool/result' && event.surfaceOp !== 'append'),
  );
  return [...new Set(told.map(({ type }) => type))];
}
