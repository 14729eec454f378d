import { toolSection } from '../bash/tool-section.ts';
import type { Context, Plugin } from '../../harness/kernel/context.ts';
import { defineTool } from '../../harness/tools/define-tool.ts';
import type { ToolDefinition, ToolExecuteReturn, ToolExecution } from '../../harness/tools/types.ts';
import { assertPolicyPresent, callPolicy, ESCALATION_FIELDS, mayEscalate } from '../sandbox/call-policy.ts';
import type { EscalationArgs } from '../sandbox/call-policy.ts';
import { findPlaces, toLf } from './apply-edit.ts';
import { diffHunks } from './diff-hunks.ts';
import { diffResultView } from './diff-view.ts';
import { editHelp } from './edit-help.ts';
import { isFsError } from './fs-error.ts';
import { fsFailure } from './fs-failure.ts';
import type { FsEditOutcome, FsTarget } from './file-system.ts';
import { assertPath, FILE_PATH, invalidArgs, resolveTarget } from './file-tool-args.ts';
import { printablePath } from './printable-path.ts';
import type { MutationToolConfig } from './write-tool.ts';

const DESCRIPTION = `Replaces exact text in a file that was read before and has not changed since.
- old_string is the text as it stands in the file: same blanks and tabs, without the line numbers of read, and no placeholder for omitted code.
- It must stand in one place only: include enough lines around it, or set replace_all to change every place.
- new_string may be empty, which deletes the text.
- Several changes of one file are several calls in one message; they run in order.
- When nothing matches, the answer shows the most similar lines and what differs.`;

const GUIDANCE = 'Change existing files with edit.';

const PARAMETERS = {
  file_path: FILE_PATH,
  old_string: { type: 'string', required: true, description: 'The exact text to replace.' },
  new_string: { type: 'string', required: true, description: 'What stands there afterwards.' },
  replace_all: { type: 'boolean', description: 'Replace every place. Default: false.' },
} as const;
type Parameters = typeof PARAMETERS & typeof ESCALATION_FIELDS;

interface EditArgs extends EscalationArgs {
  file_path: string;
  old_string: string;
  new_string: string;
  replace_all?: boolean;
}

export const editTool: Plugin<MutationToolConfig | undefined> = {
  name: 'edit-tool',
  inject: ['tools', 'systemPrompt', 'fs'],
  apply(ctx: Context, config = {}) {
    const mode = ctx.fs.sandboxMode;
    assertPolicyPresent(ctx, mode, 'edit');
    const escalation = (config.escalation ?? true) && mode !== undefined;
    ctx.tools.register(defineEdit(ctx, escalation));
    toolSection(ctx, 'edit', 102, GUIDANCE);
  },
};

function defineEdit(ctx: Context, escalation: boolean): ToolDefinition {
  return defineTool({
    name: 'edit',
    description: DESCRIPTION,
    parameters: { ...PARAMETERS, ...(escalation && ESCALATION_FIELDS) } as Parameters,
    execute: (args, exec) => edit(ctx, args, exec, escalation),
    presentCall: ({ file_path: path, old_string: oldText, new_string: newText }) => ({
      card: 'diff',
      title: `edit ${path}`,
      diffs: [{ path, oldText, newText }],
      locations: [{ path }],
    }),
    presentResult: (_args, result) => diffResultView(result),
  });
}

/** Arguments, then the policy, then the target, then its guard, then the edit: nothing happens before all have passed. */
async function edit(ctx: Context, args: EditArgs, exec: ToolExecution, offered: boolean): Promise<ToolExecuteReturn> {
  const { file_path: path, old_string: oldString, new_string: newString, replace_all: replaceAll = false } = args;
  assertEditArgs(args);
  const policy = await callPolicy(ctx, exec, args, { offered, subject: 'operation' });
  let target: FsTarget | undefined;
  try {
    target = await resolveTarget(ctx, exec, path, policy);
    const intent = await ctx.waterfall('fs/edit-intent', target, exec, () => undefined);
    const outcome = await ctx.fs.editText(target, { oldString, newString, replaceAll }, intent, exec.signal, policy);
    ctx.emit('fs/observed', target, outcome.version, exec);
    return edited(args, outcome);
  } catch (error) {
    if (!isFsError(error)) throw error;
    const help = target ? await editHelp(ctx, exec, error, { target, path, oldString, newString }) : {};
    const escalation = mayEscalate(ctx, exec, offered);
    throw fsFailure(error, { operation: 'edit', path, escalation, ...(policy && { mode: policy.mode }), ...help });
  }
}

function assertEditArgs({ file_path: path, old_string: oldString, new_string: newString }: EditArgs): void {
  assertPath(path);
  if (oldString === '')
    throw invalidArgs('old_string is empty — give the text to replace, or use write for a new file');
  if (oldString === newString) throw invalidArgs('old_string and new_string are equal — nothing would change');
}

function edited(
  { file_path: path, old_string: oldString }: EditArgs,
  { before, after }: FsEditOutcome,
): ToolExecuteReturn {
  const count = findPlaces(before, toLf(oldString)).length;
  const text = `Replaced ${count === 1 ? 'one place' : `${count} places`} in ${printablePath(path)}.`;
  return { content: [{ type: 'text', text }], meta: { diffs: diffHunks(path, before, after) } };
}
