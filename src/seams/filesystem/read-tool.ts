import { toolSection } from '../bash/tool-section.ts';
import type { Context, Plugin } from '../../harness/kernel/context.ts';
import { defineTool } from '../../harness/tools/define-tool.ts';
import type { ToolDefinition, ToolExecution } from '../../harness/tools/types.ts';
import { FsError, isFsError } from './fs-error.ts';
import { fsFailure } from './fs-failure.ts';
import type { FsEncoding, FsInfo, FsTarget } from './file-system.ts';
import { assertPath, FILE_PATH, invalidArgs, resolveTarget, sessionCwd } from './file-tool-args.ts';
import { nearestPaths } from './nearest-paths.ts';
import { MAX_LINES, readWindow } from './read-window.ts';
import type { FileReadOutcome } from './read-window.ts';
import { readResultText } from './read-result-text.ts';

/** From this size on, and when the size is not known, a file is streamed. */
const STREAM_FROM_BYTES = 10 * 1024 * 1024;

/** Where the tree can only be read, nothing is said of changing it. */
export interface ReadToolConfig {
  treeIsReadOnly?: boolean;
}

const UNLOCKS = '- A read unlocks edit and write of that file until it changes; any part of it will do.\n';

const describeRead = (
  unlocks: string,
) => `Reads a text file and returns its lines as \`N: text\`; the number and the colon are not part of the file.
${unlocks}- Returns at most ${MAX_LINES} lines or 50 KiB; page through longer files with offset and limit, the last line says where to go on.
- Lines over 2000 characters are cut, and say so.
- Fails for directories (use glob) and for binary files; a wrong path is answered with the nearest ones.`;

const GUIDANCE =
  'Ask for reads and searches that do not need each other in one message; what depends on a result waits for it.';

interface ReadArgs {
  file_path: string;
  offset?: number;
  limit?: number;
}

export const readTool: Plugin<ReadToolConfig | undefined> = {
  name: 'read-tool',
  inject: ['tools', 'systemPrompt', 'fs'],
  apply(ctx: Context, { treeIsReadOnly = false } = {}) {
    ctx.tools.register(defineRead(ctx, describeRead(treeIsReadOnly ? '' : UNLOCKS)));
    toolSection(ctx, 'read', 100, GUIDANCE);
  },
};

function defineRead(ctx: Context, description: string): ToolDefinition {
  return defineTool({
    name: 'read',
    description,
    parameters: {
      file_path: FILE_PATH,
      offset: { type: 'number', description: 'First line to return, from 1. Default: 1.' },
      limit: { type: 'number', description: `How many lines. Default and maximum: ${MAX_LINES}.` },
    },
    isConcurrencySafe: () => true,
    execute: async (args, exec) => [{ type: 'text', text: await read(ctx, args, exec) }],
    presentCall: ({ file_path: path, offset }) => ({
      card: 'generic',
      title: `read ${path}`,
      kind: 'read',
      locations: [{ path, ...(offset !== undefined && { line: offset }) }],
    }),
  });
}

async function read(ctx: Context, args: ReadArgs, exec: ToolExecution): Promise<string> {
  assertPath(args.file_path);
  const offset = lineNumber('offset', args.offset ?? 1);
  const limit = Math.min(lineNumber('limit', args.limit ?? MAX_LINES), MAX_LINES);

  const { target, info, outcome, encoding } = await guarded(ctx, args.file_path, exec, async () => {
    const target = await resolveTarget(ctx, exec, args.file_path);
    const info = await statFile(ctx, target, exec);
    return { target, info, ...(await readLines(ctx, target, info, { offset, limit }, exec.signal)) };
  });
  assertInside(outcome);
  ctx.emit('fs/observed', target, info.version, exec);
  return readResultText(args.file_path, outcome, encoding);
}

/** The one stat of a read: what it is, how to read it, and the version that counts as seen. */
async function statFile(ctx: Context, target: FsTarget, exec: ToolExecution): Promise<FsInfo> {
  const info = await ctx.fs.stat(target, exec.signal);
  if (!info) {
    ctx.emit('fs/observed-absent', target, exec);
    throw new FsError('no such file', 'FS_NOT_FOUND');
  }
  if (info.type !== 'file') throw new FsError(`it is a ${info.type}`, 'FS_NOT_REGULAR_FILE');
  return info;
}

async function readLines(
  ctx: Context,
  target: FsTarget,
  { size }: FsInfo,
  range: { offset: number; limit: number },
  signal: AbortSignal,
): Promise<{ outcome: FileReadOutcome; encoding: FsEncoding }> {
  if (size === undefined || size >= STREAM_FROM_BYTES) {
    return { outcome: await readWindow(await ctx.fs.streamText(target, signal), range), encoding: 'utf-8' };
  }
  const { text, encoding } = await ctx.fs.readDecoded(target, signal);
  return { outcome: await readWindow([text], range), encoding };
}

async function guarded<T>(ctx: Context, path: string, exec: ToolExecution, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (!isFsError(error) || error.code === 'FS_ABORTED') throw error;
    const isMissing = error.code === 'FS_NOT_FOUND';
    const nearest = isMissing ? await nearestPaths(ctx.fs, sessionCwd(exec), path, exec.signal) : [];
    throw fsFailure(error, { operation: 'read', path, nearest });
  }
}

function assertInside({ offset, totalLines }: FileReadOutcome): void {
  if (offset <= Math.max(1, totalLines)) return;
  throw new FsError(`offset ${offset} is past the end — the file has ${totalLines} lines`, 'FS_NOT_FOUND');
}

function lineNumber(name: string, value: number): number {
  if (Number.isSafeInteger(value) && value >= 1) return value;
  throw invalidArgs(`${name} is ${value} — give a whole number from 1, or leave it out`);
}
