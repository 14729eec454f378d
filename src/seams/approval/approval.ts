import type { Plugin } from '../../harness/kernel/context.ts';
import { ApprovalService } from './approval-service.ts';
import type { ApprovalConfig } from './approval-service.ts';
import { tellPolicy } from './policy-prompt.ts';

/** Provides `ctx.approval`. Without a channel, whatever is asked is `unavailable`. */
export const approval: Plugin<ApprovalConfig | undefined> = {
  name: 'approval',
  inject: ['systemPrompt'],
  apply(ctx, config) {
    const service = new ApprovalService(ctx, config);
    ctx.provide('approval', service);
    tellPolicy(ctx, service);
  },
};
