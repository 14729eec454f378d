import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { turnOutcome } from '../../src/bot/job/turn-outcome.ts';
import { connectEngine } from '../../src/docker/engine.ts';
import type { RoomParts } from '../../src/room/open-room.ts';
import { calls, says, ScriptedModel } from '../support/scripted-model.ts';
import { openTestRoom } from './support/open-test-room.ts';
import { makeTree } from './support/sandbox-bench.ts';

const undo: (() => unknown)[] = [];
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step();
});

/** One turn in which the model makes these calls and would then say that it is done. */
async function turn(commands: string[], parts: Partial<RoomParts> = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'dsh-lost-'));
  const tree = await makeTree({ 'a.txt': 'a\n' });
  undo.push(() => [folder, tree].map((path) => rmSync(path, { recursive: true, force: true })));
  const script = commands.map((command) => calls('bash', { description: 'test', command }));
  const model = new ScriptedModel([...script, says('done')]);
  const room = await openTestRoom({ folder, tree, session: 'gh-1-9-1', model, parts });
  undo.push(() => room.close());
  room.handle.agent.send([{ type: 'text', text: 'go' }]);
  await room.handle.agent.whenIdle();
  const { events } = room.handle.agent.session;
  return { requests: model.requests.length, ...turnOutcome(events, { aborted: false }) };
}

const SUICIDE = "kill -KILL $(pgrep -f '^/opt/dsh/node' | tail -n 1); sleep 75";

describe('sandbox', () => {
  it('N13 a turn goes on after two losses and ends with an error after the third', async () => {
    const twice = await turn([SUICIDE, SUICIDE, 'true']);
    const thrice = await turn([SUICIDE, SUICIDE, SUICIDE]);

    expect([twice.status, twice.requests]).toEqual(['completed', 4]);
    expect([thrice.status, thrice.requests]).toEqual(['failed', 3]);
    expect(thrice.problem).toMatchObject({ code: 'SANDBOX_UNAVAILABLE' });
    expect(thrice.problem?.message).toMatch(/sandbox was lost: .* see the log of the Docker engine/);
  }, 60_000);

  it('N13 B10 a turn whose sandbox could not start ends as soon as that is known, with what to mend', async () => {
    const { status, requests, problem } = await turn(['true', 'true'], {
      docker: connectEngine('unix:///no/such/engine.sock'),
    });

    expect([status, problem?.code]).toEqual(['failed', 'SANDBOX_UNAVAILABLE']);
    expect(requests).toBeLessThanOrEqual(1);
    expect(problem?.message).toMatch(/^No Docker engine answers.* Start the Docker engine/);
  }, 60_000);
});
