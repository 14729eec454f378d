import type { Plugin } from '../../harness/kernel/context.ts';
import { titleFromModel } from './title-from-model.ts';
import type { SessionTitleLlmConfig } from './title-from-model.ts';
import { SessionTitleProviderId } from './types.ts';
import type { SessionTitleAutomaticMode } from './types.ts';

/** A model names the session once, by its first message. */
export const firstMessageTitle = modelTitles('session-title-first-message-llm', 'first-message');

/** A model names the session anew with each message, by all of them. */
export const allMessagesTitle = modelTitles('session-title-all-messages-llm', 'all-user-messages');

function modelTitles(name: string, automatic: SessionTitleAutomaticMode): Plugin<SessionTitleLlmConfig> {
  const id = SessionTitleProviderId(name);
  return {
    name,
    inject: ['sessionTitle', 'llm'],
    apply(ctx, config) {
      ctx.sessionTitle.register({ id, automatic, generate: (request) => titleFromModel(ctx, id, request, config) });
    },
  };
}
