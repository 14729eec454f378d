import type { Context, Plugin } from '../../harness/kernel/context.ts';
import { FsError } from './fs-error.ts';
import type { FsEditIntent, FsPolicyExec, FsTarget, FsTargetKey, FsVersion, FsWriteIntent } from './file-system.ts';

type Observation = FsVersion | 'absent';

/**
 * A session may overwrite or edit only what it has seen as it is now. Any read of a file counts, however small its
 * window. Records belong to the session object and end with the process. Without this plugin the tools work unguarded.
 */
export const readBeforeWrite: Plugin<void> = {
  name: 'fs-read-before-write',
  apply(ctx: Context) {
    const records = new ObservationRecords();
    ctx.on('fs/observed', (target, version, actor) => records.set(target, version, actor));
    ctx.on('fs/observed-absent', (target, actor) => records.set(target, 'absent', actor));
    ctx.on('fs/write-intent', (target, actor) => writeIntent(records.get(target, actor)));
    ctx.on('fs/edit-intent', (target, actor) => editIntent(records.get(target, actor), target));
  },
};

function writeIntent(seen: Observation | undefined): FsWriteIntent {
  if (seen === undefined || seen === 'absent') return { kind: 'createIfAbsent' };
  return { kind: 'replaceIfVersion', version: seen };
}

function editIntent(seen: Observation | undefined, target: FsTarget): FsEditIntent {
  if (seen === undefined) throw new FsError(`${target.displayPath} was not read in this session`, 'FS_NOT_OBSERVED');
  if (seen === 'absent') throw new FsError(`${target.displayPath} does not exist`, 'FS_NOT_FOUND');
  return { version: seen };
}

class ObservationRecords {
  readonly #bySession = new WeakMap<object, Map<FsTargetKey, Observation>>();

  get(target: FsTarget, actor: object | undefined): Observation | undefined {
    const owner = ownerOf(actor);
    return owner && this.#bySession.get(owner)?.get(target.targetKey);
  }

  set(target: FsTarget, seen: Observation, actor: object | undefined): void {
    const owner = ownerOf(actor);
    if (!owner) return;
    const records = this.#bySession.get(owner) ?? new Map<FsTargetKey, Observation>();
    this.#bySession.set(owner, records.set(target.targetKey, seen));
  }
}

function ownerOf(actor: object | undefined): object | undefined {
  return (actor as FsPolicyExec | undefined)?.agent?.session;
}
