import type { ContinuationDecision } from '../harness/agent/types.ts';
import { branchName } from '../github/branch-name.ts';
import { publishCommit } from '../github/publish-commit.ts';
import { stageChanges } from '../github/tree/stage-changes.ts';
import { readTreeChanges } from '../github/tree/tree-changes.ts';
import type { TreeChange } from '../github/tree/types.ts';
import { unifiedDiff } from '../github/tree/unified-diff.ts';
import type { FixOutcome } from '../publish/plan-pull-request.ts';
import { planPullRequest } from '../publish/plan-pull-request.ts';
import { findOwnPull, publishPullRequest } from '../publish/publish-pull-request.ts';
import type { OwnPull } from '../publish/publish-pull-request.ts';
import type { Redactor } from '../publish/redact.ts';
import { detectTestCommands } from './detect-test-commands.ts';
import { hostNote } from './host-note.ts';
import type { JobRequest, Produced } from './job.ts';
import type { Job, JobResult, Workplace } from './job-kind.ts';
import { lastText } from './last-text.ts';
import { readManifests, readRecentSubjects } from './read-base-files.ts';
import { threadContexts } from './request-prompt.ts';
import { submitResultTool } from './submit-result.ts';
import type { SubmittedResult } from './submit-result.ts';
import { changedTests } from './changed-tests.ts';
import { verify } from './verify.ts';
import type { Verification } from './verify.ts';

/** The main job: a change, verified, as a pull request or on the pull request it was asked on. */
export function createFixJob(request: JobRequest, redactor: Redactor): Job {
  const { access, config, session, turn, signal } = request;
  const { github, repo } = access;
  let submitted: SubmittedResult | undefined;
  let own: OwnPull | undefined;
  let rounds = 0;
  let result: JobResult = { produced: { kind: 'nothing' }, summary: '', verify: [] };

  /** Ended without an accepted result: what was changed is kept, as a draft that claims nothing (PR54). */
  const resultOf = (workplace: Workplace): SubmittedResult =>
    submitted ?? {
      outcome: 'partial',
      title: workplace.subject.thread.title,
      summary: lastText(workplace.agent.session.events),
      cause: '',
      verification: [],
      notes: [],
    };

  const check = async (workplace: Workplace): Promise<Verification> => {
    const { ctx, checkout, agent } = workplace;
    const base = { gitDir: checkout.gitDir, sha: checkout.baseSha };
    const commands = config.verify.commands ?? detectTestCommands(await readManifests(base));
    return verify(commands, {
      bash: ctx.bash,
      policy: ctx.sandboxPolicy.resolve({ session: agent.session }),
      baseSha: checkout.headSha,
      timeoutMs: config.verify.timeoutMs,
      signal: workplace.signal,
      record: ({ command, result: ran, onBase, durationMs }) => {
        const { exitCode, signal: killedBy, timedOut } = ran;
        agent.session.append('verify/result', { turn: workplace.turn, command, exitCode, signal: killedBy, timedOut, onBase, durationMs });
      },
    });
  };

  const conclude = async (workplace: Workplace): Promise<ContinuationDecision> => {
    const { changes, leftOut } = await readTreeChanges(workplace.checkout, workplace.signal);
    const said = resultOf(workplace);
    const publishable = withoutSecrets(changes, redactor);
    if (publishable.length === 0) {
      result = { produced: { kind: 'nothing' }, summary: said.summary, verify: [] };
      return { action: 'stop' };
    }
    const verification = await check(workplace);
    if (verification.newFailure && rounds < config.verify.rounds) {
      rounds += 1;
      submitted = undefined;
      return sendBack(verification.newFailure);
    }
    const notes = [...said.notes, ...leftOut.map(({ path, reason }) => `Left out: ${path} (${reason}).`)];
    if (publishable.length < changes.length) notes.push('A file that holds a secret of this installation was left out.');
    const outcome: FixOutcome = {
      claimsFixed: said.outcome === 'fixed',
      draft: submitted === undefined || said.outcome !== 'fixed' || verification.newFailure !== undefined,
      title: redactor.redact(said.title),
      summary: redactor.redact(said.summary),
      cause: redactor.redact(said.cause),
      notes: notes.map((note) => redactor.redact(note)),
      verify: verification.runs,
    };
    const produced = await publish(workplace, outcome, publishable);
    result = { produced, summary: outcome.summary, verify: verification.runs };
    return { action: 'stop' };
  };

  const publish = async (workplace: Workplace, outcome: FixOutcome, changes: TreeChange[]): Promise<Produced> => {
    const { checkout, subject, agent, turn: number } = workplace;
    const staged = await stageChanges(checkout, changes, workplace.signal);
    const plan = planPullRequest(outcome, {
      subject,
      session,
      asker: turn.reading.actor,
      recentSubjects: await readRecentSubjects({ gitDir: checkout.gitDir, sha: checkout.baseSha }),
      changedTests: changedTests(changes),
    });
    if (subject.pull) return publishOnPull(workplace, staged, plan.commitMessage);

    const branch = branchName(subject, outcome.title, config.branch.prefix);
    const base = config.pull.base ?? subject.repository.defaultBranch;
    const target = { branch, own, base, session };
    const pull = await publishPullRequest(github, repo, { plan, staged, target }, workplace.signal);
    agent.session.append('publish/done', { turn: number, what: 'commit', id: pull.commitSha, url: pull.url, sha: pull.commitSha });
    agent.session.append('publish/done', { turn: number, what: 'pull-request', id: pull.number, url: pull.url, sha: pull.commitSha });
    return { kind: 'pull-request', ...pull, draft: plan.draft, title: plan.title };
  };

  /** On a pull request the commit goes to its head branch, where that is in this repository; else the change is given as a patch. */
  const publishOnPull = async (
    workplace: Workplace,
    staged: Awaited<ReturnType<typeof stageChanges>>,
    message: string,
  ): Promise<Produced> => {
    const { subject, checkout, agent } = workplace;
    if (!subject.pull?.sameRepository || !subject.pull.open) {
      return { kind: 'patch', diff: redactor.redact(await unifiedDiff(checkout.gitDir, staged, workplace.signal)) };
    }
    const branch = subject.pull.headRef;
    const commit = await publishCommit(github, repo, { staged, message, branch, isOwn: true }, workplace.signal);
    const url = `${subject.thread.url}/commits/${commit.sha}`;
    agent.session.append('publish/done', { turn: workplace.turn, what: 'commit', id: commit.sha, url, sha: commit.sha });
    return { kind: 'commit', branch, commitSha: commit.sha, url };
  };

  return {
    mode: 'workspace-write',
    tools: [submitResultTool((accepted) => (submitted = accepted))],
    get isSubmitted() {
      return submitted !== undefined;
    },
    get result() {
      return result;
    },
    target: async (subject) => {
      if (subject.pull) {
        return { kind: 'pull', number: subject.number, baseBranch: subject.pull.baseRef, headSha: subject.pull.headSha };
      }
      own = await findOwnPull(github, repo, { session, prefix: config.branch.prefix }, signal);
      return own ? { kind: 'branch', branch: own.branch, sha: own.headSha } : { kind: 'branch', branch: config.pull.base ?? subject.repository.defaultBranch };
    },
    contexts: async (subject) => threadContexts(subject.thread),
    conclude,
  };
}

function sendBack({ command, output }: { command: string; output: string }): ContinuationDecision {
  const text = `The change makes \`${command}\` fail; it passes without the change. Mend that, then call \`submit_result\` again.\n\n${output}`;
  return { action: 'continue', reason: hostNote(text) };
}

/** A file whose bytes hold a secret of this process is not published, whatever it is for (P8). */
function withoutSecrets(changes: readonly TreeChange[], redactor: Redactor): TreeChange[] {
  return changes.filter((change) => change.kind === 'deleted' || !redactor.holdsKnownSecret(change.bytes));
}
