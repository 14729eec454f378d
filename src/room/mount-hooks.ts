import type { RoomOptions } from '../bot/job/room.ts';
import type { Context } from '../harness/kernel/context.ts';
import { claudeHooks } from '../seams/hooks/claude-hooks.ts';
import { codexHooks } from '../seams/hooks/codex-hooks.ts';

const HOOK_TIMEOUT_MS = 60_000;

/** The operator's own commands; a session that nobody vouches for runs none of them (X4). */
export async function mountHooks(
  root: Context,
  { profile, config: { hooks } }: Pick<RoomOptions, 'profile' | 'config'>,
): Promise<void> {
  if (profile !== 'trusted') return;
  const limits = { defaultTimeoutMs: HOOK_TIMEOUT_MS };
  if (hooks?.claude) await root.plugin(claudeHooks, { settings: hooks.claude, ...limits });
  if (hooks?.codex) await root.plugin(codexHooks, { settings: hooks.codex, ...limits });
}
