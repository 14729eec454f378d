import type { Config } from '../../config/config.ts';
import type { RepositoryAccess } from '../job/job.ts';

/**
 * Whether a head was pushed by a bot, such as a formatter or we ourselves, or with the word that no workflow is to run: that is
 * no event which starts a review of it (T7), so that whoever meets the head has to.
 */
export async function isUntoldPush(
  { github, repo }: Pick<RepositoryAccess, 'github' | 'repo'>,
  headSha: string,
  { allowBots }: Pick<Config, 'allowBots'>,
  signal: AbortSignal,
): Promise<boolean> {
  const { data } = await github.rest.repos.getCommit({ ...repo, ref: headSha, request: { signal } });
  if (RUNS_NOTHING.test(data.commit.message)) return true;
  // GitHub itself commits what apps change by its API.
  const pusher = data.committer?.login === 'web-flow' ? data.author : (data.committer ?? data.author);
  const allowed = allowBots.some((bot) => bot.toLowerCase() === pusher?.login.toLowerCase());
  return pusher?.type === 'Bot' && !allowed;
}

/** See "Skipping workflow runs" in GitHub's documentation. */
const RUNS_NOTHING = /\[(?:skip ci|ci skip|no ci|skip actions|actions skip)\]|^skip-checks: ?true$/im;
