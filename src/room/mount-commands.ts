import { goalTextsFor } from '../bot/commands/goal-texts.ts';
import type { Context } from '../harness/kernel/context.ts';
import type { Language } from '../publish/language.ts';
import { commands } from '../seams/commands/command-service.ts';
import { goalCommand } from '../seams/goal/goal-command.ts';
import { goals } from '../seams/goal/goals.ts';

/** What people can command a session itself, while a turn runs and between turns. */
export async function mountCommands(
  root: Context,
  { maxGoalRounds, language }: { readonly maxGoalRounds: number; readonly language?: Language | undefined },
): Promise<void> {
  await root.plugin(commands);
  await root.plugin(goals, { defaultMaxGoalRounds: maxGoalRounds });
  await root.plugin(goalCommand, { textsFor: goalTextsFor(language) });
}
