import { concludeCheck, hasEndedCheck, openCheck } from '../../github/checks.ts';
import type { CheckConclusion } from '../../github/checks.ts';
import type { SessionEvent } from '../../harness/session/types.ts';
import { assembleBody } from '../../publish/markdown/body.ts';
import { goalLine } from '../../publish/progress/goal-line.ts';
import { PROGRESS_TEXTS } from '../../publish/progress/progress-texts.ts';
import { checkIdOf } from '../../publish/review/review-check.ts';
import type { Language } from '../../publish/language.ts';
import { foldGoal } from '../../seams/goal/fold-goal.ts';
import type { GoalPhase } from '../../seams/goal/types.ts';
import type { JobOutcome, JobRequest } from '../job/job.ts';

/** By this name a branch protection can require it. */
export const GOAL_CHECK = 'dsh goal';

/** A goal that rests, or that rounds are left of, has not come to anything yet. */
const CONCLUSIONS: Partial<Readonly<Record<GoalPhase, CheckConclusion>>> = {
  complete: 'success',
  blocked: 'action_required',
};

const MAX_TITLE = 200;
const MAX_SUMMARY = 20_000;

export interface GoalEnd {
  /** Of the whole session. */
  readonly events: readonly SessionEvent[];
  readonly outcome: Pick<JobOutcome, 'status' | 'produced' | 'problem' | 'summary'>;
  readonly language: Language;
  readonly redact: (text: string) => string;
}

/** How a check of a goal concludes, by its phase as the log has it; undefined where it says nothing. Pure. */
export function goalConclusion({ events, outcome }: Pick<GoalEnd, 'events' | 'outcome'>): CheckConclusion | undefined {
  const { goal } = foldGoal(events);
  if (goal?.phase === 'complete' && outcome.status !== 'completed') return undefined;
  return goal && CONCLUSIONS[goal.phase];
}

/** Tells on the commit that the job made, else on the head of its pull request, what became of its goal (goal.md, section 8). */
export async function tellGoalCheck(
  { turn, session, access, local }: Pick<JobRequest, 'turn' | 'session' | 'access' | 'local'>,
  end: GoalEnd,
): Promise<void> {
  const conclusion = turn.job === 'goal' && !local ? goalConclusion(end) : undefined;
  const headSha = conclusion && (await headOf(turn.reading.subject, access, end.outcome));
  if (!conclusion || !headSha) return;
  const { github, repo, ownLogin } = access;
  const identity = { name: GOAL_CHECK, headSha, externalId: checkIdOf(session, turn.reading.cause), ownLogin };
  // Told by a process that was lost right after it.
  if (await hasEndedCheck(github, repo, identity).catch(() => false)) return;
  const check = await openCheck(github, repo, identity);
  if (!check) return;
  const { problem, summary } = end.outcome;
  const title = goalLine(end.events, end.redact, PROGRESS_TEXTS[end.language])!.slice(0, MAX_TITLE);
  const said = { kind: 'said', text: end.redact(problem?.message || summary || title) } as const;
  await concludeCheck(github, repo, check, {
    ...{ conclusion, title, summary: assembleBody([said], MAX_SUMMARY), annotations: [] },
  });
}

async function headOf(
  subject: JobRequest['turn']['reading']['subject'],
  { github, repo }: JobRequest['access'],
  { produced }: Pick<JobOutcome, 'produced'>,
): Promise<string | undefined> {
  if ('commitSha' in produced && produced.kind !== 'local-branch') return produced.commitSha;
  if (subject.kind !== 'pull') return undefined;
  return (await github.rest.pulls.get({ ...repo, pull_number: subject.number })).data.head.sha;
}
