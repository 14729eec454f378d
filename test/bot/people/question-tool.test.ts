import { describe, expect, it } from '@jest/globals';
import { approvalPolicyOf } from '../../../src/bot/limits/profile.ts';
import { agents } from '../../../src/harness/agent/registry.ts';
import { mountTools } from '../../../src/room/open-room.ts';
import { sandboxPolicyPlugin } from '../../../src/seams/sandbox/sandbox-policy.ts';
import { userInteraction } from '../../../src/seams/user-interaction/user-interaction-service.ts';
import { MemoryBash } from '../../support/memory-bash.ts';
import { MemoryFileSystem } from '../../support/memory-file-system.ts';
import { createToolBench } from '../../seams/tool-bench.ts';

async function toolsOf(kind: 'fix' | 'plan' | 'review', profile: 'trusted' | 'untrusted'): Promise<readonly string[]> {
  const { ctx } = await createToolBench();
  await ctx.plugin(agents);
  await ctx.plugin(userInteraction);
  await ctx.plugin(sandboxPolicyPlugin, { mode: 'workspace-write', workspaceRoot: '/workspace' });
  ctx.provide('bash', new MemoryBash({}, { mode: 'workspace-write' }));
  ctx.provide('fs', new MemoryFileSystem({}, { cwd: '/workspace', mode: 'workspace-write' }));
  const asksPeople = approvalPolicyOf(profile) !== 'never';
  await mountTools(ctx, { kind, mode: 'workspace-write', asksPeople }, { image: 'x' });
  return ctx.tools.knownNames();
}

describe('user-interaction', () => {
  it('N10 a fix or a plan may ask people where somebody trusted asked for it, and nothing else may', async () => {
    expect(await toolsOf('fix', 'trusted')).toContain('ask_user_question');
    expect(await toolsOf('fix', 'untrusted')).not.toContain('ask_user_question');
    expect(await toolsOf('plan', 'trusted')).toContain('ask_user_question');
    expect(await toolsOf('review', 'trusted')).not.toContain('ask_user_question');
  });
});
