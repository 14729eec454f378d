import type { Env } from '../config/env.ts';
import type { Plugin } from '../harness/kernel/context.ts';
import type { LlmAdapter } from '../harness/llm/llm-adapter.ts';
import type { AppIdentity } from '../harness/llm/types.ts';
import type { EventReader } from '../triggers/read-event.ts';

export interface BotOptions {
  readonly env: Env;
  readonly identity: AppIdentity;
  readonly log: (message: string, error?: unknown) => void;
  readonly now?: () => Date;
  /** Mounted in every session, beside our own: tools, policies, services. */
  readonly plugins?: readonly Plugin<void>[];
  /** Further model adapters, by the provider that `DSH_MODEL` (`provider/model`) names them with. */
  readonly adapters?: Readonly<Record<string, LlmAdapter>>;
  /** Further events that start turns. */
  readonly readers?: readonly EventReader[];
  /** How long others wait for a worker that is gone, in milliseconds. */
  readonly leaseMs?: number;
  /** The key of the model endpoint, where a host has it from elsewhere than the environment. */
  readonly apiKey?: string;
  /** Whether the host itself keeps what is stored here beyond this run; asked when it matters. */
  readonly isKept?: () => boolean;
}
