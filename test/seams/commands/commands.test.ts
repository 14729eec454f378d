import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { Agent } from '../../../src/harness/agent/types.ts';
import { commands } from '../../../src/seams/commands/command-service.ts';
import { parseCommand } from '../../../src/seams/commands/parse-command.ts';
import type { CommandDefinition, CommandResult } from '../../../src/seams/commands/types.ts';
import { bench, text, tool, typesOf } from '../../harness/agent/agent-bench.ts';
import type { Bench } from '../../harness/agent/agent-bench.ts';
import { says } from '../../support/scripted-model.ts';

let b: Bench;
let agent: Agent;
const signal = new AbortController().signal;

beforeEach(async () => {
  b = await bench([says('done')]);
  await b.ctx.plugin(commands);
  agent = (await b.create()).agent;
});

afterEach(async () => {
  await b.ctx.fiber.dispose();
});

const define = (changed: Partial<CommandDefinition> = {}): CommandDefinition => ({
  name: 'run',
  description: 'Runs it.',
  handler: () => ({ kind: 'success' }),
  ...changed,
});
const execute = (line: string, by: AbortSignal = signal) => b.ctx.commands.execute(agent, line, by);

describe('commands', () => {
  it.each([
    ['/goal', 'goal', ''],
    ['/goal x', 'goal', ' x'],
    ['/goal\nx', 'goal', '\nx'],
    ['/goal_name-2\t x ', 'goal_name-2', '\t x '],
    ['/run  x ', 'run', '  x '],
    ['/run\n', 'run', '\n'],
  ])('C1 C2 %j is a command, and what follows is left as it is', (line, name, rawInput) => {
    expect(parseCommand(line)).toEqual({ name, rawInput });
  });

  it.each(['goal', ' /goal', '/', '/Goal', '/goal/path', '/goal🎯', '', '/2goal', '//goal'])(
    'C1 %j is no command',
    (line) => {
      expect(parseCommand(line)).toBeUndefined();
    },
  );

  it.each([
    [{ name: 'Run' }],
    [{ name: '' }],
    [{ description: ' ' }],
    [{ description: 3 as never }],
    [{ input: 'x' as never }],
    [{ input: null as never }],
    [{ input: { hint: '' } }],
    [{ handler: undefined as never }],
  ])('C3 refuses %j', (changed) => {
    expect(() => b.ctx.commands.register(define(changed))).toThrow(TypeError);
    expect(b.ctx.commands.list(agent)).toEqual([]);
  });

  it('C4 keeps a frozen copy of what was registered', async () => {
    const given = { ...define({ input: { hint: 'what' } }) } as {
      -readonly [K in keyof CommandDefinition]: CommandDefinition[K];
    };
    b.ctx.commands.register(given);

    given.description = 'changed';
    given.handler = () => ({ kind: 'error', text: 'changed' });
    (given.input as { hint: string }).hint = 'changed';

    const [descriptor] = b.ctx.commands.list(agent);
    expect(descriptor).toEqual({ name: 'run', description: 'Runs it.', input: { hint: 'what' } });
    expect([descriptor, descriptor?.input, b.ctx.commands.list(agent)].every(Object.isFrozen)).toBe(true);
    expect(await execute('/run')).toEqual({ kind: 'success' });
  });

  it('C5 refuses a second one in a layer, and an agent shadows the global one until its scope ends', async () => {
    const other = (await b.create()).agent;
    const handle = await b.create();
    const named = (from: string) => define({ handler: () => ({ kind: 'success', text: from }) });
    b.ctx.commands.register(named('global'));
    const shadow = handle.agent.ctx.commands.register(named('own'));

    expect(() => b.ctx.commands.register(define())).toThrow(expect.objectContaining({ code: 'DUPLICATE_NAME' }));
    expect(await b.ctx.commands.execute(handle.agent, '/run', signal)).toMatchObject({ text: 'own' });
    expect(await b.ctx.commands.execute(other, '/run', signal)).toMatchObject({ text: 'global' });

    void shadow();
    expect(await b.ctx.commands.execute(handle.agent, '/run', signal)).toMatchObject({ text: 'global' });
  });

  it('C6 C7 a plugin below an agent brings a command of that agent, which goes with the plugin', async () => {
    const other = (await b.create()).agent;
    const plugin = agent.ctx.plugin({
      name: 'own',
      inject: ['commands'],
      apply: (ctx) => void ctx.commands.register(define()),
    });
    await plugin;

    expect(b.ctx.commands.find(agent, 'run')).toBeDefined();
    expect(b.ctx.commands.find(other, 'run')).toBeUndefined();

    await plugin.dispose();
    expect(b.ctx.commands.find(agent, 'run')).toBeUndefined();
  });

  it('C8 tells each change once, whatever its listeners do', async () => {
    const heard: string[] = [];
    b.ctx.on('commands/change', () => {
      throw new Error('first');
    });
    b.ctx.on('commands/change', () => Promise.reject(new Error('second')) as never);
    b.ctx.on('commands/change', () => void heard.push('change'));

    const dispose = b.ctx.commands.register(define());
    expect(heard).toHaveLength(1);
    void dispose();
    void dispose();

    await Promise.resolve();
    expect(heard).toHaveLength(2);
    expect(b.ctx.commands.list(agent)).toEqual([]);
    expect(b.errors.map(String).sort()).toEqual(['Error: first', 'Error: first', 'Error: second', 'Error: second']);
  });

  it('C9 lists every command by name', () => {
    for (const name of ['b', 'a']) b.ctx.commands.register(define({ name }));
    agent.ctx.commands.register(define({ name: 'c' }));

    expect(b.ctx.commands.list(agent).map(({ name }) => name)).toEqual(['a', 'b', 'c']);
  });

  it('C10 what it does not understand is undefined, and becomes no prompt', async () => {
    expect(await execute('/nothing')).toBeUndefined();
    expect(await execute('run')).toBeUndefined();
    expect(agent.session.events).toEqual([]);
  });

  it('C11 an aborted signal keeps the handler from being called', async () => {
    const handler = jest.fn<CommandDefinition['handler']>();
    b.ctx.commands.register(define({ handler }));

    await expect(execute('/run', AbortSignal.abort(new Error('gone')))).rejects.toThrow('gone');
    expect(handler).not.toHaveBeenCalled();
  });

  it('C11 an abort ends the wait at once, also one that the handler itself raises', async () => {
    const abort = new AbortController();
    const { promise: finished, resolve } = Promise.withResolvers<CommandResult>();
    b.ctx.commands.register(define({ handler: () => finished }));
    b.ctx.commands.register(
      define({ name: 'self', handler: () => (self.abort(new Error('by itself')), { kind: 'success' }) }),
    );
    const self = new AbortController();

    const waiting = execute('/run', abort.signal);
    abort.abort(new Error('enough'));

    await expect(waiting).rejects.toThrow('enough');
    await expect(execute('/self', self.signal)).rejects.toThrow('by itself');
    resolve({ kind: 'success' });
  });

  it.each([
    ['an error', new RangeError('as it is'), 'as it is'],
    ['a text', 'no time', 'no time'],
    ['anything else', { kind: 'user' }, 'command aborted'],
  ])('C12 the reason of an abort is %s', async (_, reason, message) => {
    b.ctx.commands.register(define());

    await expect(execute('/run', AbortSignal.abort(reason))).rejects.toThrow(message);
  });

  it('C12 an error is thrown as the very one it is', async () => {
    b.ctx.commands.register(define());
    const reason = new RangeError('x');

    await expect(execute('/run', AbortSignal.abort(reason))).rejects.toBe(reason);
  });

  it('C13 a fault of a handler goes on; one that is no error becomes the cause of one', async () => {
    const fault = new Error('a fault');
    const wild = {
      toString: () => {
        throw new Error('no text');
      },
    };
    b.ctx.commands.register(define({ handler: () => Promise.reject(fault) }));
    b.ctx.commands.register(
      define({
        name: 'wild',
        handler: () => {
          throw wild;
        },
      }),
    );

    await expect(execute('/run')).rejects.toBe(fault);
    await expect(execute('/wild')).rejects.toMatchObject({ cause: wild });
  });

  it.each([
    undefined,
    null,
    {},
    { kind: 'done' },
    { kind: 'success', text: 3 },
    { kind: 'error' },
    { kind: 'error', text: '' },
  ])('C14 %j is no result', async (returned) => {
    b.ctx.commands.register(define({ handler: () => returned as never }));

    await expect(execute('/run')).rejects.toThrow(TypeError);
  });

  it('C14 a result is a copy of its own', async () => {
    const returned = { kind: 'success' as const, text: 'said' };
    b.ctx.commands.register(define({ handler: () => returned }));

    const result = await execute('/run');
    returned.text = 'changed';

    expect(result).toEqual({ kind: 'success', text: 'said' });
  });

  it('C15 C17 leaves nothing in the log; what a handler sends is its own message', async () => {
    b.ctx.commands.register(define({ handler: () => ({ kind: 'success', text: 'quiet' }) }));
    b.ctx.commands.register(
      define({ name: 'tell', handler: ({ agent: to }) => (to.send(text('told')), { kind: 'success' }) }),
    );

    await execute('/run');
    expect(agent.session.events).toEqual([]);
    await execute('/tell');
    await agent.whenIdle();
    expect(typesOf(agent.session)).toContain('user/message');
  });

  it('C16 cancelling a command leaves the turn alone, and the reverse', async () => {
    const abort = new AbortController();
    const { promise: release, resolve } = Promise.withResolvers<void>();
    b.ctx.tools.register(tool('wait', async () => (await release, text('waited'))));
    b.ctx.commands.register(define({ handler: async () => (await release, { kind: 'success' }) }));
    agent.send(text('go'));
    await agent.whenIdle();

    const waiting = execute('/run', abort.signal);
    const unharmed = execute('/run');
    agent.send(text('again'));
    abort.abort('stop');
    agent.cancel();
    resolve();

    await expect(waiting).rejects.toThrow('stop');
    expect(await unharmed).toEqual({ kind: 'success' });
    await agent.whenIdle();
  });
});
