import { inertInline } from '../../publish/markdown/inert-line.ts';
import type { CommandDescriptor } from '../../seams/commands/types.ts';
import { COMMANDS } from '../../triggers/command-table.ts';
import type { CommandName } from '../../triggers/command-table.ts';
import { textsFor } from './command-texts.ts';
import { success } from './human-command.ts';
import type { HumanCommandHandler } from './human-command.ts';

/** Our own commands, and those that plugins brought. */
export const helpCommand: HumanCommandHandler = async (command) => {
  const { helpLead, summaries } = textsFor(command);
  const names = Object.keys(COMMANDS) as CommandName[];
  const rows = names.map((name) => `- \`${COMMANDS[name].usage}\`: ${summaries[name]}`);
  const plugged = await command.services.plugged();
  return success([helpLead, '', ...rows, ...plugged.map(rowOf)].join('\n'));
};

function rowOf({ name, description, input }: CommandDescriptor): string {
  const hint = input ? ` ${input.hint.replaceAll(/[`\s]+/g, ' ').trim()}` : '';
  return `- \`/dsh ${name}${hint}\`: ${inertInline(description)}`;
}
