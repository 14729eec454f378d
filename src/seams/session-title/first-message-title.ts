import type { Plugin } from '../../harness/kernel/context.ts';
import { titleFromModel } from './title-from-model.ts';
import type { SessionTitleLlmConfig } from './title-from-model.ts';
import { SessionTitleProviderId } from './types.ts';

const ID = SessionTitleProviderId('session-title-first-message-llm');

/** A model names the session once, by its first message. */
export const firstMessageTitle: Plugin<SessionTitleLlmConfig> = {
  name: ID,
  inject: ['sessionTitle', 'llm'],
  apply(ctx, config) {
    ctx.sessionTitle.register({
      id: ID,
      automatic: 'first-message',
      generate: (request) => titleFromModel(ctx, ID, request, config),
    });
  },
};
