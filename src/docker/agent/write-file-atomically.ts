import { randomBytes } from 'node:crypto';
import { access, constants, link, lstat, mkdir, open, realpath, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { canonicalTarget } from './canonical-target.ts';
import { factsOf } from './file-facts.ts';
import { FileOperationError } from './file-operation-error.ts';
import type { FileFacts, FileRequest, WriteIntent } from './protocol.ts';

const NEW_FILE_MODE = 0o644;

/**
 * The whole content or none of it, below one of the roots as they are now. Throws `FS_NOT_OBSERVED` or
 * `FS_STALE_VERSION` when the intent does not hold, `FS_SANDBOX_DENIED` outside the roots.
 */
export async function writeFileAtomically(
  request: Extract<FileRequest, { op: 'write' }>,
  content: Buffer,
  signal: AbortSignal,
): Promise<{ facts: FileFacts; created: boolean }> {
  const target = await canonicalTarget(request.path);
  await assertInside(target, request.roots);
  const existing = await existingFile(target);
  assertIntent(request.intent, existing?.facts, target);
  const folder = dirname(target);
  await makeFolders(folder);

  const temporary = `${folder}/.dsh-${randomBytes(9).toString('hex')}`;
  const file = await open(temporary, 'wx', 0o600);
  try {
    await file.writeFile(content);
    await file.chmod(existing?.mode ?? NEW_FILE_MODE);
    await file.sync();
    if ((await realpath(folder)) !== folder) throw new FileOperationError('FS_SANDBOX_DENIED', `${folder} has changed`);
    if (signal.aborted) throw new FileOperationError('FS_ABORTED', `not written: ${target}`);
    await publish(temporary, target, request.intent);
    return { facts: factsOf(await file.stat({ bigint: true })), created: existing === undefined };
  } finally {
    await file.close();
    await rm(temporary, { force: true }).catch(() => {});
  }
}

async function assertInside(target: string, roots: readonly string[]): Promise<void> {
  for (const root of roots) {
    const real = await realpath(root);
    if (target.startsWith(real === '/' ? '/' : `${real}/`)) return;
  }
  throw new FileOperationError('FS_SANDBOX_DENIED', `outside of what may be written: ${target}`);
}

/** Asked first: of a folder that cannot be made below a read-only one Node only says that it does not exist. */
async function makeFolders(folder: string): Promise<void> {
  let existing = folder;
  while (!(await stat(existing).catch(() => undefined))) existing = dirname(existing);
  await access(existing, constants.W_OK);
  await mkdir(folder, { recursive: true });
}

async function existingFile(target: string): Promise<{ facts: FileFacts; mode: number } | undefined> {
  try {
    const stats = await lstat(target, { bigint: true });
    if (!stats.isFile()) throw new FileOperationError('FS_NOT_REGULAR_FILE', `not a regular file: ${target}`);
    return { facts: factsOf(stats), mode: Number(stats.mode) & 0o777 };
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw cause;
  }
}

function assertIntent(intent: WriteIntent, existing: FileFacts | undefined, target: string): void {
  if (intent.kind === 'absent' && existing) throw new FileOperationError('FS_NOT_OBSERVED', `already there: ${target}`);
  if (intent.kind === 'version' && existing?.version !== intent.version) {
    throw new FileOperationError('FS_STALE_VERSION', `changed since it was read: ${target}`);
  }
}

/** A new file is linked and not renamed: that fails where another writer was first. The second name goes before the version is read. */
async function publish(temporary: string, target: string, intent: WriteIntent): Promise<void> {
  if (intent.kind !== 'absent') {
    if (intent.kind === 'version') assertIntent(intent, await factsOrUndefined(target), target);
    return rename(temporary, target);
  }
  try {
    await link(temporary, target);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'EEXIST') throw cause;
    throw new FileOperationError('FS_NOT_OBSERVED', `already there: ${target}`);
  }
  await rm(temporary);
}

async function factsOrUndefined(target: string): Promise<FileFacts | undefined> {
  return stat(target, { bigint: true }).then(factsOf, () => undefined);
}
