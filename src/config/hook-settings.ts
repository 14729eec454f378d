import { z } from 'zod';

/** Long enough for a check, short enough that a hook does not eat a turn's time. */
const MAX_HOOK_SECONDS = 60;

const Matcher = z.string().refine(isMatcher, 'expected tool names such as bash|read, a regular expression, or *');
const Groups = z.array(
  z.strictObject({
    matcher: Matcher.optional(),
    hooks: z.array(
      z.strictObject({
        type: z.literal('command').optional(),
        command: z.string().trim().min(1),
        /** Seconds. */
        timeout: z.number().positive().max(MAX_HOOK_SECONDS).optional(),
      }),
    ),
  }),
);
const Events = z.strictObject({
  SessionStart: Groups,
  UserPromptSubmit: Groups,
  PreToolUse: Groups,
  PostToolUse: Groups,
  Stop: Groups,
});
const SubagentEvents = z.strictObject({ SubagentStart: Groups, SubagentStop: Groups });

/** The operator's command hooks, per dialect, in the shape of those dialects' own settings. */
export const HookSettings = z
  .strictObject({ claude: Events.extend(SubagentEvents.shape).partial(), codex: Events.partial() })
  .partial();
export type HookSettings = z.infer<typeof HookSettings>;

function isMatcher(pattern: string): boolean {
  if (pattern === '*') return true;
  try {
    new RegExp(pattern);
    return true;
  } catch {
    return false;
  }
}
