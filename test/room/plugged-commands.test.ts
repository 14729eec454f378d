import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { helpCommand } from '../../src/bot/commands/help-command.ts';
import type { HumanCommand } from '../../src/bot/commands/human-command.ts';
import type { Context, Plugin } from '../../src/harness/kernel/context.ts';
import { pluggedCommands } from '../../src/room/plugged-commands.ts';
import '../../src/seams/commands/command-service.ts';
import { openMemoryStore } from '../../src/store/open-store.ts';
import type { Store } from '../../src/store/open-store.ts';

let store: Store;
const logged: string[] = [];
beforeEach(() => {
  store = openMemoryStore(() => new Date());
  logged.length = 0;
});
afterEach(() => store.close());

const desk = () => ({ persistence: store.persistence(), log: (message: string) => void logged.push(message) });
const named = (name: string, inject: string[] = ['commands']): Plugin<void> => ({
  ...{ name, inject },
  apply: (ctx: Context) =>
    void ctx.commands.register({ name, description: `Does ${name} for @tom.`, handler: () => ({ kind: 'success' }) }),
});
const failing: Plugin<void> = {
  name: 'failing',
  apply: () => {
    throw new Error('no');
  },
};

describe('commands', () => {
  it('C9 the commands of plugins are known without a session, by name; what cannot be mounted is the operator’s', async () => {
    const plugins = [named('zip'), failing, named('inside', ['commands', 'bash']), named('deploy')];
    const plugged = pluggedCommands(plugins, desk());

    expect((await plugged()).map(({ name }) => name)).toEqual(['deploy', 'zip']);
    expect(await plugged()).toBe(await plugged());
    expect(logged).toEqual(['plugin failing could not be mounted']);
    expect(await pluggedCommands([], desk())()).toEqual([]);
  });

  it('C9 where they cannot be read, nothing stops, and they are read again', async () => {
    const broken: Plugin<void> = {
      name: 'persistence',
      apply: () => {
        throw new Error('no database');
      },
    };
    const parts = { ...desk(), persistence: broken };
    const plugged = pluggedCommands([named('zip')], parts);

    expect(await plugged()).toEqual([]);
    expect(logged).toEqual(['the commands of plugins could not be read']);
    parts.persistence = store.persistence();
    expect((await plugged()).map(({ name }) => name)).toEqual(['zip']);
  });

  it('C9 help lists them after ours, inert; one with the name of ours is never reached, and not listed', async () => {
    const plugged = pluggedCommands([named('deploy'), named('status')], desk());
    const command = {
      intake: { reading: { command: { text: '' } } },
      ...{ place: { config: { language: undefined } }, services: { plugged } },
    } as unknown as HumanCommand;

    const { text = '' } = await helpCommand(command);

    expect(text.split('\n').at(-1)).toBe('- `/dsh deploy`: Does deploy for @&#8203;tom.');
    expect(text.split('\n').filter((line) => line.startsWith('- `/dsh status'))).toHaveLength(1);
  });
});
