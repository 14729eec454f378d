import { inertInline } from '../../publish/markdown/inert-line.ts';
import type { CommandDescriptor } from '../../seams/commands/types.ts';
import { COMMANDS, isCommandName } from '../../triggers/command-table.ts';
import type { CommandName } from '../../triggers/command-table.ts';
import { textsFor } from './command-texts.ts';
import { success } from './human-command.ts';
import type { HumanCommandHandler } from './human-command.ts';

/** Our own commands, and those that plugins brought. */
export const helpCommand: HumanCommandHandler = async (command) => {
  const { helpLead, summaries } = textsFor(command);
  const names = Object.keys(COMMANDS) as CommandName[];
  const rows = names.map((name) => `- \`${COMMANDS[name].usage}\`: ${summaries[name]}`);
  // One that has the name of ours is never reached.
  const plugged = (await command.services.plugged()).filter(({ name }) => !isCommandName(name));
  return success([helpLead, '', ...rows, ...plugged.map(rowOf)].join('\n'));
};

function rowOf({ name, description, input }: CommandDescriptor): string {
  const hint = input ? ` ${input.hint.replaceAll(/[`\s]+/g, ' ').trim()}` : '';
  return `- \`/dsh ${name}${hint}\`: ${inertInline(description)}`;
}
