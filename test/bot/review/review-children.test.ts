import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { GenerateOptions } from '../../../src/harness/llm/types.ts';
import type { SessionEvent, SessionHeader } from '../../../src/harness/session/types.ts';
import { calls, callsAll, says } from '../../support/scripted-model.ts';
import { ReviewStage, finding } from '../support/review-stage.ts';
import { RoleModel, refuter } from '../support/role-model.ts';

const LINES = Array.from({ length: 5_000 }, (_, at) => `export const value${at} = ${at};`);
const FILES = Array.from({ length: 6 }, (_, at) => `src/part${at}.js`);

let stage: ReviewStage;
beforeAll(async () => {
  stage = await ReviewStage.start({ 'README.md': 'shop\n' });
});
afterAll(() => stage.bench.close());

describe('subagent', () => {
  it('N8 reads and refutations of a review are children of its turn: a persona, read-only tools, a checked answer, one level deep, four at once', async () => {
    const whole = Object.fromEntries(FILES.map((path) => [path, `${LINES.join('\n')}\n`]));
    await stage.openPull(whole);
    const headers: SessionHeader[] = [];
    const live = { now: 0, most: { reader: 0, refuter: 0 } };
    const watched = (role: 'reader' | 'refuter', reply: ReturnType<typeof says>) => ({
      ...reply,
      before: async () => {
        live.now += 1;
        live.most[role] = Math.max(live.most[role], live.now);
        const agents = stage.bench.agent!.ctx.agents.list().filter(({ id }) => id !== stage.bench.agent!.id);
        headers.push(...agents.map(({ session }) => session.header));
        // The first is alone; the others have time to come together.
        for (let tries = 0; tries < 20 && live.most[role] < 4; tries++) await sleep(10);
        live.now -= 1;
      },
    });
    const claims = FILES.map(
      (path) => ['report_finding', finding({ path, proof: `${path}:1 is read.` })] as [string, object],
    );
    const model = new RoleModel([callsAll(...claims), says('Much.'), says('Read.')], {
      reader: () => watched('reader', calls('structured_output', { findings: [], summary: 'fine' })),
      refuter: () => watched('refuter', refuter('confirmed', 'src/part0.js:1')),
    });

    const { events, roles } = await stage.review({ model, config: { subagents: true } });

    const { reader, refuter: looks } = roles.byRole;
    expect(reader.length).toBeGreaterThan(4);
    expect(looks).toHaveLength(6);
    for (const request of [...reader, ...looks]) {
      expect(namesOf(request)).toEqual(['read', 'grep', 'glob', 'bash', 'structured_output']);
    }
    expect(new Set(reader.map(({ system }) => system)).size).toBe(1);
    expect(live.most).toEqual({ reader: 4, refuter: 4 });
    expect(new Set(headers.map(({ delegationDepth }) => delegationDepth))).toEqual(new Set([1]));
    expect(new Set(headers.map(({ parentSession }) => parentSession))).toEqual(new Set([stage.bench.agent!.id]));
    const started = of(events, 'subagent/started');
    expect(started).toHaveLength(reader.length + looks.length);
    expect(new Set(started.map(({ data }) => (data as { provider: string }).provider))).toEqual(new Set(['spawn']));
    expect(of(events, 'subagent/ended').at(-1)!.seq).toBeLessThan(of(events, 'turn/end').at(-1)!.seq);
    expect(of(events, 'turn/start')).toHaveLength(1);
  });
});

const namesOf = ({ tools = [] }: GenerateOptions) => tools.map(({ name }) => name);
const of = (events: readonly SessionEvent[], type: string) => events.filter((event) => event.type === type);
