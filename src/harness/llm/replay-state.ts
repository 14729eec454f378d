import type { LlmAdapter } from './llm-adapter.ts';
import type { GenerateOptions, Message } from './types.ts';

type OwnerOf = (provider: string) => LlmAdapter | undefined;

/**
 * Takes other adapters' private replay state out of a request; provider and model stay. State is kept only where
 * one adapter instance owns both the provider that wrote it and the target (L15).
 */
export function withoutForeignReplayState(options: GenerateOptions, ownerOf: OwnerOf): GenerateOptions {
  const target = ownerOf(options.provider);
  const isForeign = (message: Message): boolean =>
    message.provenance?.replayState !== undefined && ownerOf(message.provenance.provider) !== target;
  if (!options.messages.some(isForeign)) return options;

  const messages = options.messages.map((message) => (isForeign(message) ? strippedOf(message) : message));
  const stripped = { ...options, messages };
  return Object.isFrozen(options)
    ? Object.freeze({ ...stripped, messages: Object.freeze(messages) as Message[] })
    : stripped;
}

/** Kept by identity, so that what is serialised once per message stays serialised. */
const strippedCopies = new WeakMap<Message, Message>();

function strippedOf(message: Message): Message {
  const known = Object.isFrozen(message) ? strippedCopies.get(message) : undefined;
  if (known) return known;
  const { provider, model } = message.provenance!;
  const copy: Message = { ...message, provenance: { provider, model } };
  if (!Object.isFrozen(message)) return copy;
  Object.freeze(copy.provenance);
  strippedCopies.set(message, Object.freeze(copy));
  return copy;
}
