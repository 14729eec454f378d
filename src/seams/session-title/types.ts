import type { Branded } from '../../harness/kernel/branded.ts';
import type { Message } from '../../harness/llm/types.ts';
import '../../harness/llm/auxiliary-call.ts';
import type { Session } from '../../harness/session/session.ts';

export type SessionTitleProviderId = Branded<'SessionTitleProviderId'>;
export function SessionTitleProviderId(value: string): SessionTitleProviderId {
  return value as SessionTitleProviderId;
}

/** The route of the model that wrote a title. */
export interface SessionTitleModelProvenance {
  readonly provider: string;
  readonly model: string;
}
export type SessionTitleSource =
  | { readonly kind: 'fallback' }
  | {
      readonly kind: 'provider';
      readonly provider: SessionTitleProviderId;
      readonly model?: SessionTitleModelProvenance;
    }
  | { readonly kind: 'user' };

/** `messageSeqs` is what the title was made from; empty if and only if a person gave it. */
export interface SessionTitleEventData {
  readonly title: string;
  readonly messageSeqs: number[];
  readonly source: SessionTitleSource;
}
/** Frozen; `updatedAt` in epoch milliseconds. */
export interface SessionTitleSnapshot extends SessionTitleEventData {
  readonly eventSeq: number;
  readonly updatedAt: number;
}

/** Its text blocks, joined by newlines. */
export interface SessionTitleUserMessage {
  readonly seq: number;
  readonly text: string;
}

/** When a provider is asked without anybody asking for it. */
export type SessionTitleAutomaticMode = 'first-message' | 'all-user-messages';

export interface SessionTitleProviderRequest {
  readonly session: Session;
  readonly messages: readonly SessionTitleUserMessage[];
  /** Where the conversation's own requests go, if that is known. */
  readonly route?: SessionTitleModelProvenance;
  readonly signal: AbortSignal;
}
export interface SessionTitleProviderResult {
  readonly title: string;
  readonly messageSeqs: readonly number[];
  readonly model?: SessionTitleModelProvenance;
}
export interface SessionTitleProvider {
  readonly id: SessionTitleProviderId;
  readonly automatic: SessionTitleAutomaticMode;
  generate(request: SessionTitleProviderRequest): Promise<SessionTitleProviderResult>;
}

export interface SessionTitleConfig {
  readonly fallbackMaxWords: number;
  readonly fallbackMaxBytes: number;
  readonly maxTitleBytes: number;
  /** How long work under way may still take when the service is unloaded; 0 unless told. */
  readonly graceMs?: number;
}

/** Exactly what a model was sent for a title. */
export interface SessionTitleLlmRequestEventData {
  readonly titleProvider: SessionTitleProviderId;
  readonly messageSeqs: number[];
  readonly route: SessionTitleModelProvenance;
  readonly system: string;
  readonly messages: Message[];
  readonly maxTokens: number;
}

declare module '../../harness/session/types.ts' {
  interface TurnTriggerMap {
    /** A turn without steps, for a title that came while no turn was open. */
    'session-title': { kind: 'session-title' };
  }
  /** Both log-only; the last title counts. */
  interface SessionEventMap {
    'session/title': SessionTitleEventData;
    'session/title-llm-request': SessionTitleLlmRequestEventData;
  }
  interface OutOfBandSessionEventMap {
    'session/title': true;
    'session/title-llm-request': true;
    /** A name may come, and be paid for, when its turn has ended. */
    'llm/auxiliary': true;
  }
}
