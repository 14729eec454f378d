import { describe, expect, it } from '@jest/globals';
import { chunkValidator } from '../../../src/harness/llm/chunk-validator.ts';
import { CallId } from '../../../src/harness/llm/types.ts';
import type { StreamChunk } from '../../../src/harness/llm/types.ts';
import { Redactor } from '../../../src/publish/redact.ts';
import { logRedaction } from '../../../src/seams/log-redaction/log-redaction.ts';
import { spillPolicy } from '../../../src/seams/spill/spill-policy.ts';
import { bench, eventsOf, text, tool } from '../../harness/agent/agent-bench.ts';
import { isReproducible } from '../compaction/compact-bench.ts';
import { fails, says } from '../../support/scripted-model.ts';
import type { ScriptedReply } from '../../support/scripted-model.ts';

const TOKEN = 'ghs_0123456789abcdef';

async function guarded(script: readonly ScriptedReply[], secrets: readonly string[] = [TOKEN]) {
  const redactor = new Redactor(secrets);
  const b = await bench(script);
  await b.ctx.plugin(logRedaction, redactor);
  await b.ctx.plugin(chunkValidator);
  const { agent } = await b.create();
  const send = (prompt = 'go') => {
    agent.send(text(prompt));
    return agent.whenIdle();
  };
  return { ...b, agent, session: agent.session, redactor, send };
}

/** A reply in single characters: thought, text and a call, each with the secret in it. */
function spelled(): ScriptedReply {
  const chunks: StreamChunk[] = [];
  const block = (index: number, blockType: 'reasoning' | 'text' | 'tool-call', value: string) => {
    chunks.push({ type: 'block-start', index, blockType });
    for (const letter of value) {
      if (blockType === 'tool-call')
        chunks.push({ type: 'tool-call-delta', index, id: CallId('c1'), name: 'bash', argumentsDelta: letter });
      else chunks.push({ type: blockType === 'text' ? 'text-delta' : 'reasoning-delta', index, text: letter });
    }
    if (blockType === 'tool-call')
      chunks.push({
        type: 'block-end',
        index,
        block: { type: blockType, id: CallId('c1'), name: 'bash', arguments: value },
      });
    else chunks.push({ type: 'block-end', index, block: { type: blockType, text: value } });
  };
  block(0, 'reasoning', `I think ${TOKEN} is a key`);
  block(1, 'text', `It is ${TOKEN}`);
  block(2, 'tool-call', JSON.stringify({ command: `echo ${TOKEN}` }));
  const replayState = { items: [`${TOKEN}`] };
  return { chunks: [...chunks, { type: 'finish', reason: { kind: 'tool-calls' }, replayState }] };
}

describe('log-redaction', () => {
  it('LR1 the stream of the model is masked before it is logged, spelled out in single letters, in all its kinds', async () => {
    const b = await guarded([spelled(), says('done')]);
    const seen: unknown[] = [];
    b.ctx.tools.register(tool('bash', async (args) => (seen.push(args), text('ok'))));

    await b.send();

    const deltas = eventsOf(b.session, 'assistant/chunk').map(({ data }) => data.chunk);
    const said = (type: StreamChunk['type']) =>
      deltas.map((chunk) => (chunk.type === type && 'text' in chunk ? chunk.text : '')).join('');
    expect(said('text-delta')).toBe('It is ***done');
    expect(said('reasoning-delta')).toBe('I think *** is a key');
    const args = deltas.map((chunk) => (chunk.type === 'tool-call-delta' ? chunk.argumentsDelta : '')).join('');
    expect(args).toBe('{"command":"echo ***"}');
    expect(seen).toEqual([{ command: 'echo ***' }]);
    const [reply] = eventsOf(b.session, 'assistant/message');
    expect(reply!.data.content).toMatchObject([
      { text: 'I think *** is a key' },
      { text: 'It is ***' },
      { arguments: args },
    ]);
    expect(JSON.stringify(b.session.events)).not.toContain(TOKEN);
    expect(isReproducible(b.session)).toBe(true);
    expect(b.errors).toEqual([]);
  });

  it('LR2 a result is masked before it is cut, logged, or sent', async () => {
    const output = `${'x'.repeat(94)}${TOKEN}${'y'.repeat(400)}`;
    const b = await guarded([spelled(), says('done')]);
    b.ctx.tools.register(tool('bash', async () => ({ content: text(output), meta: { env: TOKEN } })));
    const spilled: string[] = [];
    b.ctx.provide('spillStore', {
      saveText: async ({ content }: { content: string }) => {
        spilled.push(content);
        return { locator: '/spill/1', bytes: content.length, retrievalHint: 'read it' };
      },
    } as never);
    await b.ctx.plugin(spillPolicy, { maxInlineBytes: 300 });

    await b.send();

    expect(spilled).toEqual([output.replace(TOKEN, '***')]);
    const [result] = eventsOf(b.session, 'tool/result');
    expect(JSON.stringify(result)).not.toContain('ghs_');
    expect(result!.data.meta).toEqual({ env: '***' });
    expect(JSON.stringify(b.model.requests[1]!.messages)).not.toContain('ghs_');
  });

  it('LR3 a prompt, its contexts, the instructions and whatever else is logged hold no secret', async () => {
    const b = await guarded([says('ok')]);
    b.ctx.on('agent/session-prefix', () => [{ role: 'user', content: text(`prefix ${TOKEN}`) }]);
    b.agent.inject(text(`news: ${TOKEN}`), { source: { kind: 'plugin', plugin: 'test' } });

    await b.send(`Use ${TOKEN}, please`);

    expect(JSON.stringify(b.session.events)).not.toContain(TOKEN);
    const [request] = b.model.requests;
    expect(JSON.stringify(request!.messages)).toContain('Use ***, please');
    expect(JSON.stringify(request!.messages)).not.toContain(TOKEN);
    expect(isReproducible(b.session)).toBe(true);
  });

  it('LR4 a stream that breaks within a secret gives away nothing of it; a failure is masked as well', async () => {
    const cut = fails('SERVER', `the key is ${TOKEN.slice(0, -1)}`);
    const broken = { ...cut, chunks: cut.chunks.filter(({ type }) => type !== 'block-end') };
    const b = await guarded([broken]);

    await b.send();

    const log = JSON.stringify(b.session.events);
    expect(log).toContain('the key is ');
    expect(log).not.toContain('ghs_');
  });

  it('LR5 a token that is minted while the session lives is masked from then on', async () => {
    const b = await guarded([says('the new one is fresh-token-1')], []);
    b.redactor.add('fresh-token-1');

    await b.send();

    expect(JSON.stringify(b.session.events)).not.toContain('fresh-token-1');
  });
});
