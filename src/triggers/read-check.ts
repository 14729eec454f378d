import type { Payload } from './payload.ts';
import type { Reading } from './reading.ts';
import { ignore, toActor, toRepo } from './reading-parts.ts';
import type { TriggerConfig } from './trigger-config.ts';

interface Check {
  readonly id: number;
  readonly name: string;
  readonly url: string;
  readonly headSha: string;
  readonly headBranch: string | null | undefined;
  readonly conclusion: string | null | undefined;
  readonly pulls: Payload<'check_suite'>['check_suite']['pull_requests'];
}

/** A check of somebody other than GitHub Actions, whose runs tell of themselves. */
export function readCheckSuite(p: Payload<'check_suite'>, delivery: string, config: TriggerConfig): Reading[] {
  const { check_suite: suite } = p;
  if (suite.app?.slug === 'github-actions') return [ignore('event-not-used')];
  if (suite.app && suite.app.id === config.self.appId) return [ignore('own-author')];
  return readCheck(p, delivery, config, {
    id: suite.id,
    name: suite.app?.name ?? 'check',
    url: suite.url,
    headSha: suite.head_sha,
    headBranch: suite.head_branch,
    conclusion: suite.conclusion,
    pulls: suite.pull_requests,
  });
}

export function readWorkflowRun(p: Payload<'workflow_run'>, delivery: string, config: TriggerConfig): Reading[] {
  const { workflow_run: run } = p;
  return readCheck(p, delivery, config, {
    id: run.id,
    name: run.name ?? 'workflow',
    url: run.html_url,
    headSha: run.head_sha,
    headBranch: run.head_branch,
    conclusion: run.conclusion,
    pulls: run.pull_requests,
  });
}

type CheckPayload = Pick<Payload<'check_suite'>, 'action' | 'sender' | 'repository'>;

/** Judged by the branch, not by who sent it (T7): a finished check is a note, and one that failed on our branch a turn (F4). */
function readCheck(p: CheckPayload, delivery: string, config: TriggerConfig, check: Check): Reading[] {
  const { id, name, url, headSha, headBranch } = check;
  const pull = check.pulls.find(({ head }) => head.sha === headSha && head.ref === headBranch);
  if (p.action !== 'completed' || !pull) return [ignore('event-not-used')];
  const origin = {
    repo: toRepo(p.repository),
    subject: { kind: 'pull', number: pull.number } as const,
    actor: toActor(p.sender, 'NONE'),
    cause: `run-${id}`,
    delivery,
  };
  const conclusion = check.conclusion ?? 'unknown';
  const mayBeMore = FAILURES.includes(conclusion);
  const note: Reading = { kind: 'note', what: 'check', text: `${name}: ${conclusion}`, mayBeMore, ...origin };
  const isOurs = mayBeMore && headBranch?.startsWith(config.branch.prefix);
  return isOurs ? [{ kind: 'check-failure', run: { id, name, url }, headSha, ...origin }, note] : [note];
}

const FAILURES = ['failure', 'timed_out'];
