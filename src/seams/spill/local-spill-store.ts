import { createHash, randomBytes } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join, posix } from 'node:path';
import type { SessionId } from '../../harness/session/types.ts';
import { encodeSpillName } from './encode-spill-name.ts';
import { openPrivateFolder } from './private-folder.ts';
import { processSpillRoot } from './process-spill-root.ts';
import { SpillLocator, SpillStore } from './spill-store.ts';
import type { SaveTextSpill, SpillRef } from './spill-store.ts';
import { writePrivateFile } from './write-private-file.ts';

export interface SpillLocalConfig {
  /** Directory on this machine. Default: a private one of this process below the system's temporary directory. */
  root?: string;
  /** The path under which the tools of the session see the root, where that is another one. */
  seenAt?: string;
  /** Takes secrets out before anything is stored. */
  redact?: (text: string) => string;
}

const HINT = 'It is kept as it was then: page through it with read (offset, limit) or search it with grep.';
/** A file name has at most 255 bytes, and this part is only for people. */
const MAX_READABLE = 200;

/** Texts as files, one directory a session: `<root>/session-<hash>/<random>-<name>`. Deletes nothing. */
export class LocalSpillStore extends SpillStore {
  readonly #config: SpillLocalConfig;

  constructor(config: SpillLocalConfig = {}) {
    super();
    this.#config = config;
  }

  async saveText({ owner, suggestedName, content }: SaveTextSpill): Promise<SpillRef> {
    const { seenAt, redact = (text) => text } = this.#config;
    const text = redact(content);
    const root = await this.#openRoot();
    const folder = folderOf(owner.sessionId);
    const name = fileNameOf(suggestedName);

    const fileOwner = await openPrivateFolder(join(root, folder), root);
    await writePrivateFile(join(root, folder, name), text, fileOwner);
    const locator = SpillLocator(posix.join(seenAt ?? root, folder, name));
    return { locator, bytes: Buffer.byteLength(text), retrievalHint: HINT };
  }

  async #openRoot(): Promise<string> {
    const { root } = this.#config;
    if (root === undefined) return processSpillRoot();
    await mkdir(root, { recursive: true, mode: 0o700 });
    return root;
  }
}

/** Ids of sessions come from outside and may not be file names. */
function folderOf(sessionId: SessionId): string {
  return `session-${createHash('sha256').update(sessionId).digest('hex').slice(0, 12)}`;
}

function fileNameOf(suggestedName: string): string {
  return `${randomBytes(6).toString('hex')}-${encodeSpillName(suggestedName).slice(0, MAX_READABLE)}`;
}
