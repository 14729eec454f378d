import { describe, expect, it } from '@jest/globals';
import { noteParked } from '../../../src/bot/session/note-parked.ts';
import { CallId } from '../../../src/harness/llm/types.ts';
import { SessionId } from '../../../src/harness/session/types.ts';
import { bench, settle, text, tool } from '../../harness/agent/agent-bench.ts';
import { calls, says } from '../../support/scripted-model.ts';

const SOURCE = { kind: 'plugin', plugin: 'github' } as const;
const WAITING = { kind: 'approval', id: 'ap_1' } as const;

/** A session that waits for a person at its one call. */
async function parked() {
  const b = await bench([calls('ask', {}, 'ask')]);
  b.ctx.tools.register(tool('ask'));
  let waits = false;
  b.ctx.on('tools/pre-execute', async (exec) => {
    waits = true;
    await new Promise((resolve) => exec.signal.addEventListener('abort', resolve));
    throw new Error('unwound by parking');
  });
  const handle = await b.create();
  handle.agent.send(text('go'));
  while (!waits) await settle();
  await handle.park({ waitingFor: WAITING, callId: CallId('ask') });
  await handle.agent.whenIdle();
  return { b, session: handle.agent.session };
}

describe('bot-triggers', () => {
  it('T14 what happens while a session waits for a person is told to the model when its turn goes on', async () => {
    const { b, session } = await parked();
    noteParked(session, { content: text('somebody pushed'), source: SOURCE });
    noteParked(session, { content: text('a check finished'), source: SOURCE });
    const other = await bench([says('done')]);
    other.ctx.tools.register(tool('ask'));
    const handle = await other.create({ sessionId: SessionId('moved'), seed: session.events });

    handle.resumeParked({ trigger: { kind: 'message', source: SOURCE }, settle: () => ({ kind: 'run' }) });
    await handle.agent.whenIdle();

    const request = JSON.stringify(other.model.requests[0]?.messages);
    expect(request.indexOf('ask done')).toBeGreaterThan(0);
    expect(request.indexOf('somebody pushed')).toBeGreaterThan(request.indexOf('ask done'));
    expect(request.indexOf('a check finished')).toBeGreaterThan(request.indexOf('somebody pushed'));
    await Promise.all([b.ctx.fiber.dispose(), other.ctx.fiber.dispose()]);
  });
});
