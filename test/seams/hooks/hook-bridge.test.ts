import { describe, expect, it } from '@jest/globals';
import { agentEvents } from '../../../src/harness/agent/agent-events.ts';
import type { Plugin } from '../../../src/harness/kernel/context.ts';
import { sandboxPolicyPlugin } from '../../../src/seams/sandbox/sandbox-policy.ts';
import { calls, hangs, says } from '../../support/scripted-model.ts';
import { ends, eventsOf, gate, settle, text, typesOf } from '../../harness/agent/agent-bench.ts';
import { answer, contextTexts, group, hookBench, hookResults, records, resultTexts } from './hook-bench.ts';

const SOURCE = { kind: 'plugin', plugin: 'claude-hooks' };
const blocks = (stderr = '') => ({ exitCode: 2, stderr });
const permits = (permissionDecision: string, permissionDecisionReason?: string) =>
  answer('PreToolUse', { permissionDecision, permissionDecisionReason });
const adds = (event: string, additionalContext: string) => answer(event, { additionalContext });

function inner(apply: Plugin<void>['apply']): Plugin<void> {
  return { name: 'inner', apply };
}

describe('hooks', () => {
  it('H6 the hooks of a point run one after the other, and each pair stands together in the log', async () => {
    const order: string[] = [];
    const slow = (name: string, durationMs: number) => () => (order.push(name), { durationMs });
    const settings = { PreToolUse: [group('bash', 'a', 'b'), group('read', 'no'), group(undefined, 'c')] };
    const b = await hookBench(settings, { a: slow('a', 30), b: slow('b', 1), c: slow('c', 10) }, [
      calls('bash'),
      says('ok'),
    ]);
    await b.say('go');

    expect(order).toEqual(['a', 'b', 'c']);
    expect(records(b.agent.session)).toEqual([
      'invoked PreToolUse/0/0',
      'pass PreToolUse/0/0',
      'invoked PreToolUse/0/1',
      'pass PreToolUse/0/1',
      'invoked PreToolUse/2/0',
      'pass PreToolUse/2/0',
    ]);
    const seqs = b.agent.session.events.filter(({ type }) => type.startsWith('hook/')).map(({ seq }) => seq);
    expect(seqs).toEqual(seqs.map((_seq, index) => seqs[0]! + index));
    expect(hookResults(b.agent.session)[0]!.durationMs).toBeGreaterThanOrEqual(25);
    expect(eventsOf(b.agent.session, 'hook/invoked')[0]!.data).toEqual({
      turn: 1,
      point: 'PreToolUse',
      dialect: 'claude',
      matcher: 'bash',
      handlerId: 'PreToolUse/0/0',
    });
  });

  it('H6 H13 the record holds the decision, the stop, or that it passed, with what was asked for in vain', async () => {
    const settings = { PreToolUse: [group(undefined, 'deny', 'stop', 'stopAndAllow', 'fail', 'wish')] };
    const scripts = {
      deny: permits('deny', 'no'),
      stop: { stdout: '{"continue":false,"stopReason":"enough"}' },
      stopAndAllow: { stdout: '{"continue":false,"decision":"approve"}' },
      fail: { exitCode: 1, stderr: ` ${'x'.repeat(30)} ` },
      wish: answer('PreToolUse', { updatedInput: { command: 'other' } }, { systemMessage: 'look' }),
    };
    const b = await hookBench(settings, scripts, [calls('bash'), says('ok')], {
      config: { stderrSummaryMaxChars: 10 },
    });
    await b.say('go');

    const results = hookResults(b.agent.session);
    expect(results.map(({ decision }) => decision)).toEqual(['deny', 'stop', 'approve', 'pass', 'pass']);
    expect(results[3]).toMatchObject({ exitCode: 1, stderrSummary: `${'x'.repeat(9)}…` });
    expect(results[4]).toMatchObject({ updatedInput: { command: 'other' }, systemMessage: 'look' });
    expect(results[0]).not.toHaveProperty('stderrSummary');
  });

  it('H6 a summary that fits is whole, and none is cut inside a character', async () => {
    const settings = { UserPromptSubmit: [group(undefined, 'fits', 'cut')] };
    const scripts = {
      fits: { exitCode: 1, stderr: '0123456789' },
      cut: { exitCode: 1, stderr: `${'x'.repeat(8)}😀😀` },
    };
    const b = await hookBench(settings, scripts, [says('ok')], { config: { stderrSummaryMaxChars: 10 } });
    await b.say('go');

    const summaries = hookResults(b.agent.session).map(({ stderrSummary }) => stderrSummary);
    expect(summaries).toEqual(['0123456789', `${'x'.repeat(8)}…`]);
  });

  it('H7 H16 a session start leaves no records, even while a turn is open, and no request waits for it', async () => {
    const settings = { SessionStart: [group('startup', 'hello'), group('resume', 'again')] };
    const scripts = { hello: { ...adds('SessionStart', 'welcome'), durationMs: 150 } };
    const { promise: open, resolve: release } = gate();
    const b = await hookBench(settings, scripts, [{ ...says('slow'), before: () => open }]);
    b.agent.send(text('hi'));
    while (b.model.requests.length === 0) await settle();
    expect(contextTexts(b.agent.session)).toEqual([]);
    while (contextTexts(b.agent.session).length === 0) await settle();
    release();
    await b.agent.whenIdle();

    expect(records(b.agent.session)).toEqual([]);
    expect(b.bash.specs.map(({ command }) => command)).toEqual(['hello']);
    expect(b.payloads()[0]).toMatchObject({ hook_event_name: 'SessionStart', source: 'startup' });
    expect(eventsOf(b.agent.session, 'context/message')[0]!.data).toEqual({ content: text('welcome'), source: SOURCE });
  });

  it('H7 a tool call outside any turn runs its hooks and leaves no records', async () => {
    const b = await hookBench({ PreToolUse: [group(undefined, 'deny')] }, { deny: permits('deny', 'no') });
    const { signal } = new AbortController();
    const input = { callId: 'x' as never, name: 'bash', arguments: {}, signal };
    const result = await b.ctx.tools.execute({ ...input, agent: b.agent });

    expect(result).toMatchObject({ isError: true, content: text('Error: no') });
    expect(b.agent.session.seq).toBe(0);
    expect(b.payloads()[0]).not.toHaveProperty('turn_id');
    await b.ctx.tools.execute(input);
    expect([b.ran, b.bash.specs.length]).toEqual([['bash'], 1]);
  });

  it('H7 a session that starts anew within a turn leaves no records, either', async () => {
    const { promise: open, resolve: release } = gate();
    const b = await hookBench({ SessionStart: [group('compact', 'hello')] }, { hello: {} }, [
      { ...says('slow'), before: () => open },
    ]);
    b.agent.send(text('hi'));
    while (b.model.requests.length === 0) await settle();
    agentEvents(b.ctx, b.agent).emit('agent/session-start', 'compact');
    await settle();
    release();
    await b.agent.whenIdle();

    expect(b.payloads()).toEqual([expect.objectContaining({ source: 'compact' })]);
    expect(records(b.agent.session)).toEqual([]);
  });

  it('H7 a result that comes after its turn was closed is not recorded, and still counts', async () => {
    const { promise: open, resolve: release } = gate();
    const scripts = { slow: { ...permits('deny', 'no'), durationMs: 60 } };
    const b = await hookBench({ PreToolUse: [group('bash', 'slow')] }, scripts, [
      { ...says('ok'), before: () => open },
    ]);
    b.agent.send(text('hi'));
    while (b.model.requests.length === 0) await settle();
    const { signal } = new AbortController();
    const call = b.ctx.tools.execute({ callId: 'x' as never, name: 'bash', arguments: {}, agent: b.agent, signal });
    release();
    await b.agent.whenIdle();

    expect((await call).content).toEqual(text('Error: no'));
    expect(records(b.agent.session)).toEqual(['invoked PreToolUse/0/0']);
  });

  it('H1 a long answer is read whole', async () => {
    const long = answer('PreToolUse', { additionalContext: 'x'.repeat(500_000), permissionDecision: 'deny' });
    const b = await hookBench({ PreToolUse: [group('bash', 'long')] }, { long }, [calls('bash'), says('ok')]);
    await b.say('go');

    expect(b.ran).toEqual([]);
  });

  it('H3 an answer meant for another event decides nothing here', async () => {
    const other = answer('PostToolUse', { permissionDecision: 'deny', additionalContext: 'c' });
    const b = await hookBench({ PreToolUse: [group('bash', 'other')] }, { other }, [calls('bash'), says('ok')]);
    await b.say('go');

    expect(b.ran).toEqual(['bash']);
    expect(hookResults(b.agent.session)[0]!.decision).toBe('pass');
  });

  it('H8 context of a prompt hook goes first, and what plugins further in decided is kept', async () => {
    const b = await hookBench(
      { UserPromptSubmit: [group('never', 'a', 'b')] },
      {
        a: adds('UserPromptSubmit', 'first'),
        b: adds('UserPromptSubmit', 'second'),
      },
      [says('ok')],
      {
        inner: inner((ctx) => {
          ctx.on('agent/prompt-submit', async (_a, _c, _s, _g, next) => ({
            ...(await next()),
            content: text('rewritten'),
            additionalContexts: [{ content: text('third'), source: { kind: 'plugin', plugin: 'inner' } }],
          }));
        }),
      },
    );
    await b.say('original');

    expect(eventsOf(b.agent.session, 'user/message')[0]!.data.content).toEqual(text('rewritten'));
    expect(contextTexts(b.agent.session)).toEqual(['first', 'second', 'third']);
    expect(b.payloads()[0]).toMatchObject({ prompt: 'original' });
  });

  it('H8 a block further in wins over a prompt hook that only adds, and a call is still judged by those further in', async () => {
    const settings = { UserPromptSubmit: [group(undefined, 'add')], PreToolUse: [group(undefined, 'ok', 'approve')] };
    const scripts = { add: adds('UserPromptSubmit', 'c'), ok: {}, approve: { stdout: '{"decision":"approve"}' } };
    const prompt = await hookBench(settings, scripts, [], {
      inner: inner((ctx) => void ctx.on('agent/prompt-submit', () => ({ kind: 'block', reason: 'inner' }))),
    });
    await prompt.say('go');
    const tool = await hookBench(settings, scripts, [calls('bash'), says('ok')], {
      inner: inner((ctx) => void ctx.on('tools/pre-execute', () => ({ kind: 'deny', reason: 'inner' }))),
    });
    await tool.say('go');

    expect(ends(prompt.agent.session)).toEqual([{ kind: 'rejected', reason: 'inner' }]);
    expect(resultTexts(tool.agent.session)).toEqual(['Error: inner']);
    expect(tool.ran).toEqual([]);
  });

  it('H8 a block of a result further in wins and carries the context, and so does a rewrite', async () => {
    const settings = { PostToolUse: [group(undefined, 'add')] };
    const scripts = { add: adds('PostToolUse', 'mine') };
    const script = () => [calls('bash'), says('ok')];
    const blocked = await hookBench(settings, scripts, script(), {
      inner: inner((ctx) => void ctx.on('tools/post-execute', () => ({ kind: 'block', feedback: text('inner') }))),
    });
    await blocked.say('go');
    const rewritten = await hookBench(settings, scripts, script(), {
      inner: inner((ctx) => void ctx.on('tools/post-execute', () => ({ kind: 'accept', content: text('short') }))),
    });
    await rewritten.say('go');

    expect([resultTexts(blocked.agent.session), contextTexts(blocked.agent.session)]).toEqual([['inner'], ['mine']]);
    expect([resultTexts(rewritten.agent.session), contextTexts(rewritten.agent.session)]).toEqual([
      ['short'],
      ['mine'],
    ]);
    expect(eventsOf(blocked.agent.session, 'tool/result')[0]!.data.isError).toBe(true);
  });

  it('H8 only a denial short-circuits: plugins further in hear nothing of the prompt, the call, the result', async () => {
    const heard: string[] = [];
    const listening = inner((ctx) => {
      ctx.on('agent/prompt-submit', (_a, _c, _s, _g, next) => (heard.push('prompt'), next()));
      ctx.on('tools/pre-execute', (_e, next) => (heard.push('call'), next()));
      ctx.on('tools/post-execute', (_e, _r, next) => (heard.push('result'), next()));
    });
    const scripts = { no: blocks('because'), deny: permits('deny', 'not that') };
    const prompt = await hookBench({ UserPromptSubmit: [group(undefined, 'no')] }, scripts, [], { inner: listening });
    await prompt.say('go');
    expect(heard).toEqual([]);
    const call = await hookBench({ PreToolUse: [group('bash', 'deny')] }, scripts, [calls('bash'), says('ok')], {
      inner: listening,
    });
    await call.say('go');
    expect(heard).toEqual(['prompt', 'result']);
    const result = await hookBench({ PostToolUse: [group('bash', 'no')] }, scripts, [calls('bash'), says('ok')], {
      inner: listening,
    });
    await result.say('go');

    expect(heard).toEqual(['prompt', 'result', 'prompt', 'call']);
    expect(ends(prompt.agent.session)).toEqual([{ kind: 'rejected', reason: 'because' }]);
    expect(eventsOf(prompt.agent.session, 'prompt/blocked')[0]!.data.reason).toBe('because');
    expect([call.ran, resultTexts(call.agent.session)]).toEqual([[], ['Error: not that']]);
    expect([result.ran, resultTexts(result.agent.session)]).toEqual([['bash'], ['because']]);
  });

  it('H8 a denial without a reason still denies, and says that there was none', async () => {
    const settings = { PreToolUse: [group('bash', 'no')], PostToolUse: [group('read', 'no')] };
    const b = await hookBench(settings, { no: blocks() }, [calls('bash'), calls('read'), says('ok')]);
    await b.say('go');

    expect(resultTexts(b.agent.session)).toEqual([
      'Error: a hook refused this call and gave no reason',
      'a hook refused this result and gave no reason',
    ]);
  });

  it('H8 H4 asking goes to the approval service, unless plugins further in deny', async () => {
    const asked: unknown[] = [];
    const settings = { PreToolUse: [group(undefined, 'ask', 'approve')] };
    const scripts = { ask: permits('ask', 'sure?'), approve: { stdout: '{"decision":"approve","reason":"fine"}' } };
    const script = () => [calls('bash'), says('ok')];
    const approval = { request: async (request: { reason?: string }) => (asked.push(request.reason), 'allowed-once') };
    const provided = inner((ctx) => void ctx.provide('approval' as never, approval as never));
    const b = await hookBench(settings, scripts, script(), { inner: provided });
    await b.say('go');
    expect([asked, b.ran]).toEqual([['sure?'], ['bash']]);

    const denied = await hookBench(settings, scripts, script(), {
      inner: inner((ctx) => {
        ctx.provide('approval' as never, approval as never);
        ctx.on('tools/pre-execute', () => ({ kind: 'deny', reason: 'inner' }));
      }),
    });
    await denied.say('go');
    expect([asked, denied.ran, resultTexts(denied.agent.session)]).toEqual([['sure?'], [], ['Error: inner']]);

    const codex = await hookBench(settings, scripts, script(), { dialect: 'codex' });
    await codex.say('go');
    expect(codex.ran).toEqual(['bash']);
  });

  it('H9 whatever hooks bring in is the word of the bridge, never that of a person', async () => {
    const settings = {
      UserPromptSubmit: [group(undefined, 'prompt')],
      PostToolUse: [group(undefined, 'post')],
      Stop: [group(undefined, 'stop')],
    };
    let stops = 0;
    const scripts = {
      prompt: adds('UserPromptSubmit', 'a'),
      post: adds('PostToolUse', 'b'),
      stop: () => (stops++ === 0 ? blocks('go on') : {}),
    };
    for (const dialect of ['claude', 'codex'] as const) {
      stops = 0;
      const b = await hookBench(settings, scripts, [calls('bash'), says('done'), says('really')], { dialect });
      await b.say('go');

      const contexts = eventsOf(b.agent.session, 'context/message').map(({ data }) => data.source);
      const steering = eventsOf(b.agent.session, 'steering/message').map(({ data }) => data);
      const source = { kind: 'plugin', plugin: `${dialect}-hooks` };
      expect(contexts).toEqual([source, source]);
      expect(steering).toEqual([{ content: text('go on'), source, turn: 1 }]);
    }
  });

  it('H10 a hook runs through the shell seam in the session cwd, under its policy, with its own or the default timeout', async () => {
    const settings = {
      UserPromptSubmit: [{ hooks: [{ command: 'own', timeout: 7 }, { command: 'default' }] }],
    };
    const b = await hookBench(settings, { own: {}, default: {} }, [says('ok')], {
      config: { defaultTimeoutMs: 60_000 },
    });
    await b.ctx.plugin(sandboxPolicyPlugin, { mode: 'workspace-write', canonicalize: (path: string) => path });
    await b.say('hi');

    expect(b.bash.specs.map(({ timeoutMs }) => timeoutMs)).toEqual([7_000, 60_000]);
    for (const spec of b.bash.specs) {
      expect(spec).toMatchObject({
        workdir: '/repo',
        env: { CLAUDE_PROJECT_DIR: '/repo' },
        sandboxPolicy: { mode: 'workspace-write', workspaceRoot: '/repo' },
      });
    }
    expect(b.payloads()[0]).toMatchObject({ cwd: '/repo', session_id: b.agent.id });
  });

  it('H10 H1 a hook that times out or cannot start decides nothing, whatever its exit says', async () => {
    const settings = { PreToolUse: [{ hooks: [{ command: 'late', timeout: 0.02 }, { command: 'x'.repeat(40_000) }] }] };
    const b = await hookBench(settings, { late: { durationMs: 5_000, onTerm: 2, stderr: 'no' } }, [
      calls('bash'),
      says('ok'),
    ]);
    const { resolve } = b.bash;
    b.bash.resolve = (request) => {
      if (request.command.length > 32_768) throw new Error('too long');
      return resolve.call(b.bash, request);
    };
    await b.say('go');

    expect(b.ran).toEqual(['bash']);
    const [late, unstarted] = hookResults(b.agent.session);
    expect(late).toMatchObject({ decision: 'pass', stderrSummary: 'no\ntimed out after 20 ms' });
    expect(unstarted).toMatchObject({ decision: 'pass', stderrSummary: 'the hook could not run: too long' });
    expect(late).not.toHaveProperty('exitCode');
  });

  it.each(['UserPromptSubmit', 'PreToolUse', 'PostToolUse', 'Stop'])(
    'H11 a cancel ends a hook of %s before the turn closes, and starts no further one',
    async (point) => {
      const settings = { [point]: [group(undefined, 'hang', 'after')] };
      const b = await hookBench(settings, { hang: { durationMs: 60_000 }, after: {} }, [calls('bash'), says('ok')]);
      b.agent.send(text('go'));
      while (b.bash.specs.length === 0) await settle();
      b.agent.cancel();
      await b.agent.whenIdle();

      const types = typesOf(b.agent.session);
      expect(types.at(-1)).toBe('turn/end');
      expect(ends(b.agent.session)).toEqual([{ kind: 'aborted' }]);
      expect(b.bash.specs.map(({ command }) => command)).toEqual(['hang']);
      expect(hookResults(b.agent.session)).toEqual([
        expect.objectContaining({ decision: 'pass', stderrSummary: 'ended with its turn' }),
      ]);
      if (point === 'PreToolUse') expect(b.ran).toEqual([]);
    },
  );

  it('H12 unloading ends a detached hook and waits until it is gone; nothing is injected any more', async () => {
    const settings = { SessionStart: [group(undefined, 'quick', 'hang', 'after')] };
    const quick = adds('SessionStart', 'early');
    const b = await hookBench(settings, { quick, hang: { durationMs: 60_000 } }, []);
    let ended = false;
    const run = b.bash.run.bind(b.bash);
    b.bash.run = async (spec) => {
      const result = await run(spec);
      await new Promise((resolve) => setTimeout(resolve, 30));
      ended = true;
      return result;
    };
    await b.create();
    while (b.bash.specs.length < 4) await settle();
    await b.hooks.dispose();

    expect(ended).toBe(true);
    expect(b.bash.specs.map(({ command }) => command)).toEqual(['quick', 'quick', 'hang', 'hang']);
    expect(b.agent.session.seq).toBe(0);
    expect(b.errors).toEqual([]);
  });

  it('H12 a hook that ends after its agent was disposed injects nothing', async () => {
    const settings = { SessionStart: [group('startup', 'quick')] };
    const b = await hookBench(settings, { quick: { ...adds('SessionStart', 'late'), durationMs: 30 } }, []);
    const handle = await b.create();
    await handle.dispose();
    await new Promise((resolve) => setTimeout(resolve, 80));

    expect(handle.agent.session.seq).toBe(0);
    expect(b.errors).toEqual([]);
  });

  it('H13 a changed input is not honoured, a system message not shown, and a stop does not stop', async () => {
    const settings = { PreToolUse: [group(undefined, 'wish')], UserPromptSubmit: [group(undefined, 'stop')] };
    const scripts = {
      wish: answer('PreToolUse', { updatedInput: { command: 'other' } }, { systemMessage: 'look at this' }),
      stop: { stdout: '{"continue":false,"stopReason":"enough"}' },
    };
    const b = await hookBench(settings, scripts, [calls('bash', { command: 'mine' }), says('ok')]);
    const seen: unknown[] = [];
    b.ctx.on('tools/execute', (exec, next) => (seen.push(exec.arguments), next()));
    await b.say('go');

    expect(seen).toEqual([{ command: 'mine' }]);
    expect(ends(b.agent.session)).toEqual([{ kind: 'completed' }]);
    expect(b.model.requests).toHaveLength(2);
    expect(JSON.stringify(b.model.requests)).not.toContain('look at this');
  });

  it('H15 Codex takes the plain words of a clean exit as context, at the start and at a prompt only', async () => {
    const points = ['SessionStart', 'UserPromptSubmit', 'PostToolUse'];
    const settings = Object.fromEntries(points.map((point) => [point, [group(undefined, 'plain')]]));
    const b = await hookBench(settings, { plain: { stdout: 'plain words\n' } }, [calls('bash'), says('ok')], {
      dialect: 'codex',
    });
    while (contextTexts(b.agent.session).length === 0) await settle();
    await b.say('hi');
    expect(contextTexts(b.agent.session)).toEqual(['plain words', 'plain words']);

    const claude = await hookBench(settings, { plain: { stdout: 'plain words\n' } }, [calls('bash'), says('ok')]);
    await claude.say('hi');
    expect(contextTexts(claude.agent.session)).toEqual([]);
  });

  it('H15 never the words of a failed hook, text that looks like JSON, or beside a structured context', async () => {
    const settings = { UserPromptSubmit: [group(undefined, 'failed', 'object', 'list', 'both', 'blocked')] };
    const scripts = {
      failed: { stdout: 'words', exitCode: 1 },
      object: { stdout: '{"unfinished":' },
      list: { stdout: '["words"]' },
      both: adds('UserPromptSubmit', 'structured'),
      blocked: { stdout: '  ' },
    };
    const b = await hookBench(settings, scripts, [says('ok')], { dialect: 'codex' });
    await b.say('hi');

    expect(contextTexts(b.agent.session)).toEqual(['structured']);
  });

  it('H4 a Stop hook that denies sends the turn on, with a line of ours if it gave no reason', async () => {
    const reasons = ['tests are missing', ''];
    const b = await hookBench(
      { Stop: [group('never', 'stop')] },
      {
        stop: () => {
          const reason = reasons.shift();
          return reason === undefined ? {} : blocks(reason);
        },
      },
      [calls('bash'), says('done'), says('done again'), says('really done')],
    );
    await b.say('go');

    const steering = eventsOf(b.agent.session, 'steering/message').map(({ data }) => data.content);
    expect(steering).toEqual([text('tests are missing'), text(expect.stringContaining('gave no reason') as never)]);
    expect(b.payloads().map((payload) => payload.stop_hook_active)).toEqual([false, true, true]);
    expect(ends(b.agent.session)).toEqual([{ kind: 'completed' }]);
  });

  it('H8 a turn that goes on anyway is no reason to ask the Stop hook', async () => {
    const b = await hookBench({ Stop: [group(undefined, 'stop')] }, { stop: {} }, [
      calls('bash'),
      calls('read'),
      says('ok'),
    ]);
    await b.say('go');

    expect(b.bash.specs).toHaveLength(1);
  });

  it('H11 a Stop hook that always refuses forces at most three continuations a turn', async () => {
    const script = Array.from({ length: 8 }, (_value, index) => says(`answer ${index}`));
    const b = await hookBench({ Stop: [group(undefined, 'stop')] }, { stop: blocks('never') }, script);
    await b.say('first');
    expect(b.model.requests).toHaveLength(4);
    await b.say('second');

    expect(b.model.requests).toHaveLength(8);
    expect(ends(b.agent.session)).toEqual([{ kind: 'completed' }, { kind: 'completed' }]);
  });

  it('H1 the payload of each point, Claude style: one line of JSON', async () => {
    const points = ['SessionStart', 'UserPromptSubmit', 'PreToolUse', 'PostToolUse', 'Stop'];
    const settings = Object.fromEntries(points.map((point) => [point, [group(undefined, 'see')]]));
    const b = await hookBench(settings, { see: {} }, [calls('bash', { command: 'ls', n: 1 }, 'id-1'), says('ok')]);
    await b.say('hi there');

    const base = { session_id: b.agent.id, transcript_path: '', cwd: '/repo' };
    const call = { tool_name: 'bash', tool_input: { command: 'ls', n: 1 }, tool_use_id: 'id-1' };
    const tool_response = { content: text('bash done'), is_error: false };
    expect(b.payloads()).toEqual([
      { ...base, hook_event_name: 'SessionStart', source: 'startup' },
      { ...base, hook_event_name: 'UserPromptSubmit', prompt: 'hi there' },
      { ...base, hook_event_name: 'PreToolUse', ...call },
      { ...base, hook_event_name: 'PostToolUse', ...call, tool_response },
      { ...base, hook_event_name: 'Stop', stop_hook_active: false },
    ]);
    for (const stdin of b.stdins()) expect(stdin).toMatch(/^[^\n]+\n$/);
  });

  it('H1 the payload of each point, Codex style: with model, mode and turn, and a command as the input', async () => {
    const points = ['SessionStart', 'UserPromptSubmit', 'PreToolUse', 'Stop'];
    const settings = Object.fromEntries(points.map((point) => [point, [group(undefined, 'see')]]));
    const script = [calls('bash', { command: 'ls', n: 1 }, 'a'), calls('read', { path: 'x' }, 'b'), says('ok')];
    const b = await hookBench(settings, { see: {} }, script, { dialect: 'codex' });
    await b.say('hi');

    const base = {
      session_id: b.agent.id,
      transcript_path: null,
      cwd: '/repo',
      model: 'm1',
      permission_mode: 'default',
    };
    const turn = { ...base, turn_id: '1' };
    const tool = (name: string, command: string, id: string) => ({
      ...turn,
      hook_event_name: 'PreToolUse',
      tool_name: name,
      tool_input: { command },
      tool_use_id: id,
    });
    expect(b.payloads()).toEqual([
      { ...base, hook_event_name: 'SessionStart', source: 'startup' },
      { ...turn, hook_event_name: 'UserPromptSubmit', prompt: 'hi' },
      tool('bash', 'ls', 'a'),
      tool('read', '{"path":"x"}', 'b'),
      { ...turn, hook_event_name: 'Stop', stop_hook_active: false },
    ]);
    for (const stdin of b.stdins()) expect(stdin).not.toContain('\n');
    const named = await hookBench(settings, { see: {} }, [says('ok')], {
      dialect: 'codex',
      config: { model: 'given' },
    });
    expect(named.payloads()[0]).toMatchObject({ model: 'given' });
  });

  it('H5 the name a matcher is tested against is the name the payload shows', async () => {
    const b = await hookBench({ PreToolUse: [group('read', 'see')] }, { see: {} }, [
      calls('bash'),
      calls('read'),
      says('ok'),
    ]);
    await b.say('hi');

    expect(b.payloads().map((payload) => payload.tool_name)).toEqual(['read']);
  });

  it('H11 a hanging model is no matter of the hooks: the turn is cancelled and no Stop hook runs', async () => {
    const b = await hookBench({ Stop: [group(undefined, 'stop')] }, { stop: blocks('go on') }, [hangs()]);
    b.agent.send(text('hi'));
    while (b.model.requests.length === 0) await settle();
    b.agent.cancel();
    await b.agent.whenIdle();

    expect(b.bash.specs).toEqual([]);
  });
});
