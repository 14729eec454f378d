import type { Plugin } from '../../harness/kernel/context.ts';
import { titleFromModel } from './title-from-model.ts';
import type { SessionTitleLlmConfig } from './title-from-model.ts';
import { SessionTitleProviderId } from './types.ts';

const ID = SessionTitleProviderId('session-title-all-messages-llm');

/** A model names the session anew with each message, by all of them. */
export const allMessagesTitle: Plugin<SessionTitleLlmConfig> = {
  name: ID,
  inject: ['sessionTitle', 'llm'],
  apply(ctx, config) {
    ctx.sessionTitle.register({
      id: ID,
      automatic: 'all-user-messages',
      generate: (request) => titleFromModel(ctx, ID, request, config),
    });
  },
};
