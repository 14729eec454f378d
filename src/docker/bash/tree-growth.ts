import { statfs } from 'node:fs/promises';
import type { TreeGrowth } from '../../seams/bash/executor.ts';
import { bytesChangedSince, FILE_BYTES } from './bytes-changed-since.ts';

/** A file system may have a fixed number of files, which can run out first. */
export interface FreeSpace {
  readonly bytes: number;
  readonly files: number;
}

export interface GrowthLimit {
  /** Host path of the session's work tree. */
  readonly tree: string;
  readonly maxBytes: number;
  /** What is free where the tree is; for tests. */
  readonly free?: () => Promise<FreeSpace>;
}

/** Left free for the host itself, whose logs are often on the same disk. */
const RESERVE_BYTES = 512 * 1024 ** 2;
/** A nearly full disk still lets a session begin. */
const LEAST_BYTES = 64 * 1024 ** 2;
/** The kernel's file times lag behind its clock by less. */
const CLOCK_LAG_MS = 100;
const LOOK_EVERY_MS = 1_000;
/** Free files where the file system has no fixed number of them. */
const COUNTLESS = 2 ** 40;

/**
 * How much commands have put into a session's work tree. Free space is asked often and cheaply; the tree is looked
 * through only when so much of it has gone that the tree may be why.
 */
export class GrowthWatch {
  readonly #limit: GrowthLimit;
  readonly #free: () => Promise<FreeSpace>;
  #beginning: Promise<Beginning> | undefined;

  constructor(limit: GrowthLimit) {
    this.#limit = limit;
    this.#free = limit.free ?? (() => freeSpaceAt(limit.tree));
  }

  /** Before the first command. What is in the tree by then is no growth. */
  async begin(): Promise<void> {
    await (this.#beginning ??= this.#begin());
  }

  /** By how much the tree is over its limit, if it is. One that cannot be looked at, because it was removed, is not. */
  look(): Promise<TreeGrowth | undefined> {
    return this.#measure().catch(() => undefined);
  }

  /** Looks now and then until it is told to stop, or the tree is over its limit. */
  watch(onOver: (growth: TreeGrowth) => void): () => void {
    let isLooking = false;
    const timer = setInterval(() => {
      if (isLooking) return;
      isLooking = true;
      void this.look()
        .then((growth) => growth && (clearInterval(timer), onOver(growth)))
        .finally(() => (isLooking = false));
    }, LOOK_EVERY_MS);
    timer.unref();
    return () => clearInterval(timer);
  }

  async #measure(): Promise<TreeGrowth | undefined> {
    const { sinceMs, free, maxBytes } = await (this.#beginning ??= this.#begin());
    const now = await this.#free();
    const lost = Math.max(free.bytes - now.bytes, (free.files - now.files) * FILE_BYTES);
    if (lost < maxBytes / 4) return undefined;
    const { bytes, isWhole } = await bytesChangedSince(this.#limit.tree, sinceMs, 2 * maxBytes);
    if (bytes > maxBytes) return { bytes, maxBytes };
    // A tree that hides something answers for all that is gone from the disk.
    if (!isWhole && lost > maxBytes) return { bytes: lost, maxBytes };
    // Files without a name take room, too, and nothing tells whose they are.
    const isNearlyFull = roomIn(now) < RESERVE_BYTES / 2 && roomIn(free) > RESERVE_BYTES;
    return isNearlyFull ? { bytes: lost, maxBytes } : undefined;
  }

  async #begin(): Promise<Beginning> {
    const free = await this.#free();
    const maxBytes = Math.min(this.#limit.maxBytes, Math.max(LEAST_BYTES, roomIn(free) - RESERVE_BYTES));
    return { sinceMs: Date.now() - CLOCK_LAG_MS, free, maxBytes };
  }
}

interface Beginning {
  readonly sinceMs: number;
  readonly free: FreeSpace;
  readonly maxBytes: number;
}

function roomIn({ bytes, files }: FreeSpace): number {
  return Math.min(bytes, files * FILE_BYTES);
}

async function freeSpaceAt(path: string): Promise<FreeSpace> {
  const { bavail, bsize, files, ffree } = await statfs(path);
  return { bytes: bavail * bsize, files: files > 0 ? ffree : COUNTLESS };
}
