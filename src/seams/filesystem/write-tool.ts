import { toolSection } from '../bash/tool-section.ts';
import type { Context, Plugin } from '../../harness/kernel/context.ts';
import { defineTool } from '../../harness/tools/define-tool.ts';
import type { ToolDefinition, ToolExecuteReturn, ToolExecution } from '../../harness/tools/types.ts';
import { assertPolicyPresent, callPolicy, ESCALATION_FIELDS, mayEscalate } from '../sandbox/call-policy.ts';
import type { EscalationArgs } from '../sandbox/call-policy.ts';
import { diffHunks } from './diff-hunks.ts';
import { diffResultView } from './diff-view.ts';
import { fsFailure } from './fs-failure.ts';
import { isFsError } from './fs-error.ts';
import type { FsWriteOutcome } from './file-system.ts';
import { assertPath, FILE_PATH, invalidArgs, resolveTarget } from './file-tool-args.ts';
import { printablePath } from './printable-path.ts';

/** Whether a wider sandbox may be asked for; never in an untrusted profile. */
export interface MutationToolConfig {
  escalation?: boolean;
}

const MAX_BYTES = 5 * 1024 * 1024;

const DESCRIPTION = `Writes a whole text file: a new one (missing directories are made), or an existing one that is rewritten from top to bottom.
- For a change to a part of a file use edit.
- An existing file must have been read first and not have changed since; otherwise nothing is written.
- content is the complete text, without line numbers and without placeholders for omitted parts. At most 5 MiB.`;

const GUIDANCE = 'Use write for new files and whole rewrites only.';

const PARAMETERS = {
  file_path: FILE_PATH,
  content: { type: 'string', required: true, description: 'The complete text; may be empty.' },
} as const;
type Parameters = typeof PARAMETERS & typeof ESCALATION_FIELDS;

interface WriteArgs extends EscalationArgs {
  file_path: string;
  content: string;
}

export const writeTool: Plugin<MutationToolConfig | undefined> = {
  name: 'write-tool',
  inject: ['tools', 'systemPrompt', 'fs'],
  apply(ctx: Context, config = {}) {
    const mode = ctx.fs.sandboxMode;
    assertPolicyPresent(ctx, mode, 'write');
    const escalation = (config.escalation ?? true) && mode !== undefined;
    ctx.tools.register(defineWrite(ctx, escalation));
    toolSection(ctx, 'write', 101, GUIDANCE);
  },
};

function defineWrite(ctx: Context, escalation: boolean): ToolDefinition {
  return defineTool({
    name: 'write',
    description: DESCRIPTION,
    parameters: { ...PARAMETERS, ...(escalation && ESCALATION_FIELDS) } as Parameters,
    execute: (args, exec) => write(ctx, args, exec, escalation),
    presentCall: ({ file_path: path, content }) => ({
      card: 'diff',
      title: `write ${path}`,
      diffs: [{ path, oldText: null, newText: content }],
      locations: [{ path }],
    }),
    presentResult: (_args, result) => diffResultView(result),
  });
}

/** Arguments, then the policy, then the target, then its guard, then the write: nothing happens before all have passed. */
async function write(ctx: Context, args: WriteArgs, exec: ToolExecution, offered: boolean): Promise<ToolExecuteReturn> {
  const { file_path: path, content } = args;
  assertPath(path);
  assertSize(content);
  const policy = await callPolicy(ctx, exec, args, { offered, subject: 'operation' });
  try {
    const target = await resolveTarget(ctx, exec, path, policy);
    const intent = await ctx.waterfall('fs/write-intent', target, exec, () => undefined);
    const outcome = await ctx.fs.writeText(target, content, intent, exec.signal, policy);
    ctx.emit('fs/observed', target, outcome.version, exec);
    return written(path, outcome);
  } catch (error) {
    if (!isFsError(error)) throw error;
    const escalation = mayEscalate(ctx, exec, offered);
    throw fsFailure(error, { operation: 'write', path, escalation, ...(policy && { mode: policy.mode }) });
  }
}

function written(path: string, { operation, before, after }: FsWriteOutcome): ToolExecuteReturn {
  const text = [
    `<path>${printablePath(path)}</path>`,
    '<type>file</type>',
    `<status>${operation === 'create' ? 'created' : 'updated'}</status>`,
  ].join('\n');
  const content = [{ type: 'text' as const, text }];
  return before === null ? { content } : { content, meta: { diffs: diffHunks(path, before, after) } };
}

function assertSize(content: string): void {
  const bytes = Buffer.byteLength(content);
  if (bytes <= MAX_BYTES) return;
  throw invalidArgs(`content has ${bytes} bytes, the limit is ${MAX_BYTES} — write it in parts with a program`);
}
