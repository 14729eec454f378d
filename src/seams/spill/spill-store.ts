import type { Branded } from '../../harness/kernel/branded.ts';
import type { CallId } from '../../harness/llm/types.ts';
import type { SessionId } from '../../harness/session/types.ts';

/** What the model is shown to find a text again: a path, a URI or a key. Consumers print it and never take it apart. */
export type SpillLocator = Branded<'SpillLocator'>;
export function SpillLocator(value: string): SpillLocator {
  return value as SpillLocator;
}

/** In whose name a text is stored. */
export interface SpillOwner {
  sessionId: SessionId;
}

/** Where a text came from. It says nothing of who may read it. */
export interface SpillSource {
  toolName: string;
  callId: CallId;
  label: string;
}

export interface SaveTextSpill {
  owner: SpillOwner;
  source: SpillSource;
  /** A hint for whoever looks at the store; never a path. */
  suggestedName: string;
  content: string;
}

/** `bytes` is the UTF-8 length of what is stored; `retrievalHint` is a sentence for the model. */
export interface SpillRef {
  locator: SpillLocator;
  bytes: number;
  retrievalHint: string;
}

/** Keeps texts that are too long to show. One per context; it cannot read, search or delete. */
export abstract class SpillStore {
  /** Stores the whole text under a name of its own. Rejects when it could not be stored. */
  abstract saveText(input: SaveTextSpill): Promise<SpillRef>;
}

declare module '../../harness/kernel/context.ts' {
  interface Context {
    spillStore: SpillStore;
  }
}
