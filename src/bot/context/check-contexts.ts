import type { HookContext } from '../../harness/agent/types.ts';
import type { CheckRef } from '../../github/check-logs.ts';
import { findCheckRefs, readFailedChecks } from '../../github/check-logs.ts';
import type { Thread } from '../../github/threads.ts';
import type { JobRequest } from '../job/job.ts';
import { dataContext } from './request-prompt.ts';

/** The ends of the logs of failed checks: of the one that started the turn (F4), and of those that the subject links (F1). */
export async function checkContexts(
  { turn, access, signal }: Pick<JobRequest, 'turn' | 'access' | 'signal'>,
  thread: Thread,
  drawId?: () => string,
): Promise<HookContext[]> {
  const { github, repo } = access;
  const refs = [...startedBy(turn), ...findCheckRefs([turn.request, ...textsOf(thread)].join('\n'), repo)];
  const checks = await readFailedChecks(github, repo, refs, signal);
  return checks.map(({ name, url, log }) =>
    dataContext({ kind: 'check-log', title: `The failed check ${name} (${url})`, text: log }, drawId),
  );
}

/** GitHub Actions tells of a whole run, other services of their suite. */
function startedBy({ reading }: JobRequest['turn']): CheckRef[] {
  if (reading.kind !== 'check-failure') return [];
  const { id, url } = reading.run;
  return [{ kind: url.includes('/check-suites/') ? 'suite' : 'run', id }];
}

function textsOf({ body, comments }: Thread): string[] {
  return [body, ...comments.map((comment) => comment.body)];
}
