import { normalizeSessionTitle } from './normalize-title.ts';
import { SessionTitleError } from './session-title-error.ts';
import type {
  SessionTitleEventData,
  SessionTitleModelProvenance,
  SessionTitleProvider,
  SessionTitleProviderResult,
  SessionTitleUserMessage,
} from './types.ts';

/** The event a provider's answer becomes. Throws `SESSION_TITLE_INVALID_RESULT`. Pure. */
export function checkTitleResult(
  result: SessionTitleProviderResult,
  provider: SessionTitleProvider,
  { messages, maxTitleBytes }: { messages: readonly SessionTitleUserMessage[]; maxTitleBytes: number },
): SessionTitleEventData {
  const { title, messageSeqs, model } = (result ?? {}) as Partial<SessionTitleProviderResult>;
  const normal = typeof title === 'string' ? normalizeSessionTitle(title, maxTitleBytes) : undefined;
  if (normal === undefined) throw invalid(provider, 'a title with visible text');
  const asked = messages.map(({ seq }) => seq);
  if (!isSubsequence(messageSeqs, asked)) throw invalid(provider, 'messages of the request, each once and in order');
  if (model !== undefined && !isRoute(model)) throw invalid(provider, 'a model with its provider');
  const route = model && { model: { provider: model.provider, model: model.model } };
  return {
    title: normal,
    messageSeqs: [...messageSeqs],
    source: { kind: 'provider', provider: provider.id, ...route },
  };
}

function isSubsequence(seqs: unknown, asked: readonly number[]): seqs is readonly number[] {
  if (!Array.isArray(seqs) || seqs.length === 0) return false;
  const places = seqs.map((seq) => asked.indexOf(seq as number));
  return places.every((place, index) => place >= 0 && (index === 0 || place > places[index - 1]!));
}

function isRoute(value: unknown): value is SessionTitleModelProvenance {
  const { provider, model } = (value ?? {}) as Record<string, unknown>;
  return typeof provider === 'string' && provider !== '' && typeof model === 'string' && model !== '';
}

function invalid({ id }: SessionTitleProvider, expected: string): SessionTitleError {
  return new SessionTitleError(`title provider ${id} did not give ${expected}`, 'SESSION_TITLE_INVALID_RESULT');
}
