/** The secrets of a process as they are now; one minted later is among them from then on. */
export interface KnownSecrets {
  /** None is empty. */
  readonly known: readonly string[];
}

export const MASK = '***';
