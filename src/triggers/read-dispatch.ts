import { z } from 'zod';
import { COMMANDS } from './command-table.ts';
import type { CommandName } from './command-table.ts';
import type { GitHubEvent, Reading } from './reading.ts';

/** An event a person's own command line (or an Action's `command` input) makes: the command is given, not read from text. */
export const Dispatch = z.object({
  repo: z.object({
    id: z.number(),
    owner: z.string(),
    repo: z.string(),
    private: z.boolean(),
    defaultBranch: z.string(),
  }),
  subject: z.object({ kind: z.enum(['issue', 'pull']), number: z.number() }),
  actor: z.object({ id: z.number(), login: z.string(), association: z.string() }),
  command: z.enum(Object.keys(COMMANDS) as [CommandName, ...CommandName[]]),
  text: z.string(),
  flags: z.record(z.string(), z.union([z.string(), z.literal(true)])).default({}),
});
export type Dispatch = z.input<typeof Dispatch>;

export function dispatchEvent(dispatch: Dispatch, delivery: string): GitHubEvent {
  return { name: 'dsh_dispatch', delivery, payload: dispatch };
}

export function readDispatch(event: GitHubEvent): Reading[] {
  const parsed = Dispatch.safeParse(event.payload);
  if (!parsed.success) return [{ kind: 'ignore', why: 'malformed-payload' }];
  const { repo, subject, actor, command, text, flags } = parsed.data;
  return [
    {
      kind: 'command',
      command: { kind: 'command', name: command, flags, text },
      comment: undefined,
      byAuthor: true,
      nth: 0,
      repo,
      subject,
      actor,
      cause: `dispatch-${event.delivery}`,
      delivery: event.delivery,
    },
  ];
}
