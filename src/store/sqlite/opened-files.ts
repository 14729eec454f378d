import { statSync } from 'node:fs';

/**
 * A database's file and its write-ahead log, as they were when they were opened. Whoever has them open does not write to
 * what a restore puts in their place, but to files without a name, which are gone with the process.
 */
export class OpenedFiles {
  readonly #identities: ReadonlyMap<string, string>;

  constructor(path: string) {
    const paths = path === ':memory:' ? [] : [path, `${path}-wal`];
    const known = paths.map((one) => [one, identityOf(one)] as const);
    this.#identities = new Map(known.filter((one): one is readonly [string, string] => one[1] !== undefined));
  }

  /** The first that is no longer where it was. */
  get lost(): string | undefined {
    return [...this.#identities].find(([path, identity]) => identityOf(path) !== identity)?.[0];
  }
}

function identityOf(path: string): string | undefined {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false });
  return found && `${found.dev} ${found.ino}`;
}
