import type { RoomOptions } from '../bot/job/room.ts';
import { requestTitleProvider } from '../bot/context/request-title.ts';
import type { Context } from '../harness/kernel/context.ts';
import { firstMessageTitle } from '../seams/session-title/model-titles.ts';
import { renameCommand } from '../seams/session-title/rename-command.ts';
import { sessionTitle } from '../seams/session-title/session-title-service.ts';

const LIMITS = { fallbackMaxWords: 10, fallbackMaxBytes: 80, maxTitleBytes: 120 };
const BY_MODEL = {
  targetWords: 7,
  targetCjkCharacters: 16,
  maxInputBytes: 16 * 1024,
  maxOutputTokens: 200,
  timeoutMs: 30_000,
};

/** Every session has a name: the words of its first request, its subject's title, or, where configured, a model's. */
export async function mountTitles(
  root: Context,
  { title, config }: Pick<RoomOptions, 'title' | 'config'>,
): Promise<void> {
  await mountNaming(root);
  if (!title) return;
  if (config.titles === 'model' && title.of === 'request') await root.plugin(firstMessageTitle, BY_MODEL);
  else root.sessionTitle.register(requestTitleProvider(title));
}

/** How long a name may still take once the turn has ended; what is later is dropped, and the fallback stays. */
const GRACE_MS = 2_000;

/** Before a room closes: a session that is gone takes no name any more (session-title.md B3). */
export async function awaitTitles(root: Context): Promise<void> {
  await root.get('sessionTitle')?.settledWithin(GRACE_MS);
}

/** What it takes to name a session by hand, while a turn runs and between turns. */
export async function mountNaming(root: Context): Promise<void> {
  await root.plugin(sessionTitle, LIMITS);
  if (root.get('commands')) await root.plugin(renameCommand, undefined);
}
