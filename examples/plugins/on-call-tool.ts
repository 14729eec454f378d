/**
 * A tool: the model may ask who is on call. What is needed to answer is given by whoever mounts it, and every look-up
 * becomes an event of the session log.
 *
 * In a bot: `createBot({ …, plugins: [onCallTool({ whoIsOnCall })] })`. Every job then has the tool.
 */
import type { Plugin } from 'dsh-github/kernel';
import { HarnessError } from 'dsh-github/llm';
import type {} from 'dsh-github/session';
import { defineTool } from 'dsh-github/tools';

declare module 'dsh-github/session' {
  interface SessionEventMap {
    /** Log-only: people can see later whom the model asked for, the model itself sees the tool's result. */
    'on-call/looked-up': { turn: number; team: string; person: string };
  }
}

export interface OnCallOptions {
  /** Undefined for a team that does not exist. */
  whoIsOnCall(team: string, signal: AbortSignal): Promise<string | undefined>;
}

export function onCallTool({ whoIsOnCall }: OnCallOptions): Plugin<void> {
  const tool = defineTool({
    name: 'on_call',
    description: 'Says who is on call for a team right now.',
    parameters: { team: { type: 'string', required: true, description: 'The name of the team, such as "payments".' } },
    // It changes nothing, so several of these calls may run at once.
    isConcurrencySafe: () => true,
    // Arguments are checked and typed by `parameters`. The signal aborts when the turn is stopped.
    execute: async ({ team }, { agent, signal }) => {
      const person = await whoIsOnCall(team, signal);
      // The text of a coded error is told to the model, so it says what the model can do about it.
      if (person === undefined)
        throw new HarnessError(`there is no team "${team}"; ask for another one`, 'NO_SUCH_TEAM');
      // Whatever the model learns must be in the log. Its result will be; a note for people is an event of its own.
      const turn = agent?.session.openTurn;
      if (turn !== undefined) agent?.session.append('on-call/looked-up', { turn, team, person });
      return [{ type: 'text', text: `${person} is on call for ${team}.` }];
    },
  });
  return {
    name: 'on-call-tool',
    inject: ['tools'], // `apply` runs once `ctx.tools` is there
    apply: (ctx) => void ctx.tools.register(tool), // the registration is undone with the plugin
  };
}
