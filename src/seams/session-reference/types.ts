import type { HookContext } from '../../harness/agent/types.ts';
import type { ContentBlock } from '../../harness/llm/types.ts';
import type { SessionId } from '../../harness/session/types.ts';

export interface SessionReferenceInput {
  readonly sessionId: SessionId;
  /** What a person called it. */
  readonly label?: string;
}
export interface SessionReferenceCandidate {
  readonly sessionId: SessionId;
  readonly label: string;
  readonly cwd?: string;
  /** Epoch milliseconds. */
  readonly createdAt: number;
}
/** A message as it is to be sent, with none or one context. */
export interface PreparedReferencedMessage {
  readonly content: ContentBlock[];
  readonly contexts: HookContext[];
}

export interface SessionReferenceConfig {
  /** In one message, 1 to 3. */
  readonly maxReferences?: number;
  readonly candidateLimit?: number;
  /** Of one quoted session, as JSON. */
  readonly maxReferenceBytes?: number;
}
