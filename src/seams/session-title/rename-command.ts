import type { Plugin } from '../../harness/kernel/context.ts';
import { isHarnessError } from '../../harness/llm/errors.ts';
import type { CommandResult } from '../commands/types.ts';
import '../commands/command-service.ts';
import './session-title-service.ts';

/** The word people have for naming a session; it needs no model. */
export const renameCommand: Plugin = {
  name: 'session-title-command',
  inject: ['commands', 'sessionTitle'],
  apply(ctx) {
    ctx.commands.register({
      name: 'title',
      description: 'Name the session.',
      input: { hint: '<name>' },
      handler: async ({ agent, rawInput }): Promise<CommandResult> => {
        try {
          const { title } = await ctx.sessionTitle.rename(agent.session, rawInput);
          return { kind: 'success', text: title };
        } catch (error) {
          if (!isHarnessError(error) || error.code !== 'SESSION_TITLE_EMPTY') throw error;
          return { kind: 'error', text: 'A name needs visible text.' };
        }
      },
    });
  },
};
