import { COMMANDS } from '../../triggers/command-table.ts';
import type { CommandName } from '../../triggers/command-table.ts';
import { textsFor } from './command-texts.ts';
import { success } from './human-command.ts';
import type { HumanCommandHandler } from './human-command.ts';

export const helpCommand: HumanCommandHandler = (command) => {
  const { helpLead, summaries } = textsFor(command);
  const names = Object.keys(COMMANDS) as CommandName[];
  const rows = names.map((name) => `- \`${COMMANDS[name].usage}\`: ${summaries[name]}`);
  return success([helpLead, '', ...rows].join('\n'));
};
