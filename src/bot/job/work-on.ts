import { openCheckout, removeCheckout } from '../../github/git/checkout.ts';
import { fetchLfs } from '../../github/git/fetch-lfs.ts';
import { keepCheckout, takeOverCheckout } from '../../github/git/keep-checkout.ts';
import type { MirrorSettings } from '../../github/git/mirror.ts';
import { fetchSubmodules } from '../../github/git/submodules.ts';
import type { Progress } from '../../publish/progress/surface.ts';
import { checkoutFacts } from '../context/checkout-facts.ts';
import { quotedSessions } from '../context/quoted-sessions.ts';
import { readSubject } from '../context/read-subject.ts';
import { placeContexts } from '../context/request-prompt.ts';
import { restoreWork, takeUpWork } from '../fix/kept-work.ts';
import { lookUpProfile } from '../limits/profile.ts';
import { askedTarget, restoreAskedTree } from '../people/wake/restore-asked-tree.ts';
import { reviewThreadContexts } from '../review/review-thread.ts';
import type { JobView } from '../telling/job-view.ts';
import { createJob } from './create-job.ts';
import { cutOffTurn } from './cut-off-turn.ts';
import type { Working } from './cut-off-turn.ts';
import { handsBack, leavesWork } from './handed-back.ts';
import { tidied } from './job-parts.ts';
import type { JobParts } from './job-parts.ts';
import type { JobOutcome, JobRequest } from './job.ts';
import type { LiveJob } from './live-job.ts';
import { runTurn } from './run-turn.ts';
import { setupContexts } from './setup-report.ts';

/** A job's own part: its tree, its dependencies, what the model is shown first, and then its turn. */
export async function workOn(
  request: JobRequest,
  parts: JobParts,
  view: JobView,
  progress: Progress,
  live: LiveJob,
  take: Working,
): Promise<JobOutcome> {
  const { access, config, turn, session, signal } = request;
  if (request.problem) return view.failed(request.problem);
  const target = parts.targetOf(config);
  view.model = `${target.provider}/${target.model}`;
  await parts.checkSandbox(config);

  const subject = request.local?.subject ?? (await readSubject(access, turn.reading.subject, signal));
  const job = createJob(request, parts.redactor, parts.log);
  let isLeft = false;
  const place = { session, settings: mirrorSettings(request, parts), signal };
  try {
    const isCutOff = cutOffTurn(take, job) !== undefined;
    if (isCutOff || take.kind === 'answer') await parts.endSandboxesOf(session);
    const taken = isCutOff ? await takeOverCheckout(subject.repository, place) : undefined;
    const wanted = await job.target(subject, taken);
    const start = take.kind === 'answer' ? askedTarget(wanted, take.request) : wanted;
    const checkout = taken ?? (await openCheckout({ repository: subject.repository, target: start, ...place }));
    const lfs = taken || !config.checkout.lfs ? NO_LFS : await fetchLfs(checkout, { signal });
    const profile = await lookUpProfile(request, subject);
    const owners = [...config.checkout.submodules];
    const submodules = taken ? [] : await fetchSubmodules(checkout, owners, signal, profile === 'untrusted');
    const { snapshots } = parts.records;
    const lostTree =
      take.kind === 'answer' ? await restoreAskedTree(take.request, checkout, snapshots, signal) : undefined;
    const kept =
      taken || take.kind === 'answer'
        ? []
        : isCutOff
          ? await restoreWork({ session, checkout, config, snapshots, signal })
          : await takeUpWork(request, parts, job, checkout);
    const setup = taken
      ? undefined
      : await parts.setUpTree({
          ...{ session, checkout, config, profile, signal },
          baseBranch: subject.pull?.baseRef ?? config.pull.base ?? subject.repository.defaultBranch,
          onCommand: (command) => progress.changed(`setup: ${command}`),
        });
    view.setup = setup;
    await keepCheckout(checkout, { dataDir: parts.dataDir, session });
    const tree = taken ? 'as-it-stood' : kept.length > 0 ? 'from-snapshot' : 'afresh';
    const contexts = [
      ...(await job.contexts(subject, checkout)),
      ...checkoutFacts(checkout, submodules, lfs),
      ...setupContexts(setup),
      ...kept,
      ...reviewThreadContexts(turn.reading, subject.thread),
      ...placeContexts(turn.reading),
      ...(await quotedSessions(request, parts, profile)),
    ];
    return await runTurn({
      ...{ request, parts, view, progress, live, job, subject, checkout, profile, target, setup, contexts, take, tree },
      ...{ lostTree },
    });
  } catch (error) {
    isLeft = leavesWork(error) || handsBack(signal);
    throw error;
  } finally {
    // What is handed back is gone on with by somebody else, on this very tree.
    if (!isLeft) await tidied(removeCheckout(parts.dataDir, session), parts);
  }
}

const NO_LFS = { fetched: [], missing: [] };

function mirrorSettings({ access, config }: JobRequest, { dataDir, borrowFrom }: JobParts): MirrorSettings {
  return { dataDir, tokens: access.token, fullBelowMb: config.checkout.fullBelowMb, ...(borrowFrom && { borrowFrom }) };
}
