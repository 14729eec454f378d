import type { RoomOptions } from '../bot/job/room.ts';
import { requestTitleProvider } from '../bot/context/request-title.ts';
import type { Context } from '../harness/kernel/context.ts';
import { firstMessageTitle } from '../seams/session-title/first-message-title.ts';
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
  await root.plugin(sessionTitle, LIMITS);
  if (!title) return;
  if (config.titles === 'model' && title.of === 'request') await root.plugin(firstMessageTitle, BY_MODEL);
  else root.sessionTitle.register(requestTitleProvider(title));
}
