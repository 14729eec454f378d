import { isDeepStrictEqual } from 'node:util';
import type { Agent } from '../../../harness/agent/types.ts';
import { isMessageTrigger } from '../../../harness/session/turn-kinds.ts';
import type { SessionEvent } from '../../../harness/session/types.ts';
import { stageChanges } from '../../../github/tree/stage-changes.ts';
import type { StagedTree } from '../../../github/tree/stage-changes.ts';
import type { TreeChange } from '../../../github/tree/types.ts';
import { unifiedDiff } from '../../../github/tree/unified-diff.ts';
import { languageOf } from '../../../publish/language.ts';
import { REASON_TEXTS } from '../../../publish/request/reason-texts.ts';
import type { ApprovalRequest, ApprovalOutcome } from '../../../seams/approval/types.ts';
import type { HumanRequest, HumanRequests } from '../../../store/records.ts';
import type { JobRequest } from '../../job/job.ts';
import type { Workplace } from '../../job/job-kind.ts';
import type { Asking } from './ask-people.ts';
import { judgePublication } from '../answer/judge-publication.ts';
import { isForOtherPlan, isPublication } from '../publication-request.ts';
import '../../session/session-events.ts';
import { dataOf } from '../request-data.ts';
import { actionDigest } from './request-digest.ts';

/** What a request for a publication shows, and what its answer is good for. */
export type PublicationAsking = Omit<Asking, 'id' | 'callId' | 'signal'>;

export interface PublicationParts {
  readonly request: Pick<JobRequest, 'config' | 'session' | 'turn'>;
  readonly requests: HumanRequests;
  readonly redact: (text: string) => string;
  readonly publications: Publications;
}

/** Which requests of the approval service are for publications, and for which. */
export class Publications {
  readonly #askings = new WeakMap<ApprovalRequest, PublicationAsking>();

  readonly of = (request: ApprovalRequest): PublicationAsking | undefined => this.#askings.get(request);

  add(request: ApprovalRequest, asking: PublicationAsking): void {
    this.#askings.set(request, asking);
  }
}

/** What may be published, and what a person did not allow, as a patch. */
export interface Permitted {
  readonly changes: readonly TreeChange[];
  readonly refused: string | undefined;
  /** What happened, for people. */
  readonly notes: readonly string[];
}

/** What is to be published, and how it would stand there at this moment: the branch may move while people are asked. */
export interface ToPublish {
  readonly changes: readonly TreeChange[];
  readonly stage: () => Promise<StagedTree>;
}

/**
 * Asks for what a publication may not do by itself: all of it in one request, once for one exact plan (A6). What is
 * refused is left out and given as a patch. Undefined where the plan changed while it was asked for: then the work is to be
 * looked at anew, and asked for anew (N7).
 */
export async function askPublication(
  workplace: Workplace,
  { changes, stage }: ToPublish,
  parts: PublicationParts,
): Promise<Permitted | undefined> {
  const { approval } = parts.request.config;
  const judged = judgePublication(changes, approval.rules);
  if (judged.asked.length === 0 && judged.denied.length === 0) return { changes, refused: undefined, notes: [] };
  const plan = { changes, stage, asked: judged.asked };
  const outcome = judged.asked.length > 0 ? await decide(workplace, plan, parts) : 'allowed-once';
  if (outcome === 'plan-changed') return undefined;
  const isGranted = outcome === 'allowed-once';
  const refused = [...judged.denied, ...(isGranted ? [] : judged.asked)];
  if (refused.length === 0) return { changes, refused: undefined, notes: [] };
  const left = new Set(refused);
  return {
    changes: changes.filter((change) => !left.has(change)),
    refused: await patchOf(workplace, refused, parts),
    notes: refused.slice(0, SHOWN_PATHS).map(({ path }) => `Left out: ${path} (${REASONS[outcome]}).`),
  };
}

const SHOWN_PATHS = 20;

const REASONS: Readonly<Record<ApprovalOutcome, string>> = {
  'allowed-once': 'a rule of this repository does not allow it; the patch is with the result',
  rejected: 'a person did not approve it; the patch is with the result',
  cancelled: 'the request to approve it was withdrawn; the patch is with the result',
  unavailable: 'nobody approved it; the patch is with the result',
};

interface Plan extends ToPublish {
  readonly asked: readonly TreeChange[];
}

async function decide(
  workplace: Workplace,
  plan: Plan,
  parts: PublicationParts,
): Promise<ApprovalOutcome | 'plan-changed'> {
  const { agent, ctx, signal } = workplace;
  const { changes, asked, stage } = plan;
  const staged = await stage();
  const digest = planDigest(staged, asked);
  const touches = touchesOf(asked, parts);
  const { outcome: carried, isAnew } = await carriedDecision(agent, { digest, touches }, parts.requests);
  if (carried) return carried;
  const approval = ctx.get('approval');
  if (!approval) return 'unavailable';
  const { config, turn } = parts.request;
  const texts = REASON_TEXTS[languageOf(config.language, turn.request)];
  const reason = `${texts.filesNeedIt(asked.length, changes.length)}${isAnew ? texts.branchMoved : ''}`;
  const request: ApprovalRequest = { agent, toolName: 'publish', reason, signal };
  parts.publications.add(request, await askingFor(workplace, { staged, touches, digest, reason }, parts));
  const outcome = await approval.request(request);
  if (outcome === 'cancelled' && (await isOutdated(agent, parts.requests))) return 'plan-changed';
  // Where no event told of it, only a look tells that the branch moved meanwhile.
  const isSame = outcome !== 'allowed-once' || planDigest(await stage(), asked) === digest;
  return isSame ? outcome : 'plan-changed';
}

/** The tree that would be published, the commit it stands on, and what of it is asked for. */
function planDigest({ parentSha, treeSha }: StagedTree, asked: readonly TreeChange[]): string {
  return actionDigest('publish', JSON.stringify([parentSha, treeSha, asked.map(({ path }) => path)]));
}

/**
 * The decision of this job that stands, also one of a turn that was cut off before it could publish. A yes is for this very
 * plan; what was refused is not asked for again because the branch moved. One that was withdrawn because of that is none:
 * then it is asked anew (N7).
 */
async function carriedDecision(
  { session }: Agent,
  { digest, touches }: { readonly digest: string; readonly touches: readonly string[] },
  requests: HumanRequests,
) {
  let isAnew = false;
  for (const event of session.events.slice(unpublishedFrom(session.events))) {
    if (event.type !== 'approval/decided') continue;
    const request = await requests.get(event.data.id);
    if (!request || !isPublication(request)) continue;
    const { outcome } = event.data;
    const isRefused = outcome !== 'allowed-once' && hasTouches(request, touches);
    if (!isForOtherPlan(request) && (request.digest === digest || isRefused)) return { outcome, isAnew };
    isAnew = true;
  }
  return { outcome: undefined, isAnew };
}

/** Where the job began, or went on after it had published. */
function unpublishedFrom(events: readonly SessionEvent[]): number {
  const at = events.findLastIndex(
    (event) => event.type === 'publish/done' || (event.type === 'turn/start' && beginsAnew(event.data.trigger.kind)),
  );
  return Math.max(at, 0);
}

function beginsAnew(kind: string): boolean {
  return isMessageTrigger(kind) && !CONTINUING.has(kind);
}

const CONTINUING: ReadonlySet<string> = new Set(['github-answer', 'github-resume', 'goal-round']);

function hasTouches(request: HumanRequest, touches: readonly string[]): boolean {
  const data = dataOf(request);
  return data.kind === 'approval' && isDeepStrictEqual(data.touches, touches);
}

/** Whether the last decision was a withdrawal because what would be published is different by now. */
async function isOutdated({ session }: Agent, requests: HumanRequests): Promise<boolean> {
  const decided = session.events.findLast((event) => event.type === 'approval/decided');
  const request = decided?.type === 'approval/decided' ? await requests.get(decided.data.id) : undefined;
  return request !== undefined && isForOtherPlan(request);
}

function touchesOf(asked: readonly TreeChange[], { redact }: PublicationParts): string[] {
  return asked.map(({ kind, path }) => redact(`${path} (${kind})`));
}

interface Shown {
  readonly staged: StagedTree;
  readonly touches: readonly string[];
  readonly digest: string;
  readonly reason: string;
}

async function askingFor(
  { checkout, signal }: Workplace,
  { staged, touches, digest, reason }: Shown,
  { redact }: PublicationParts,
): Promise<PublicationAsking> {
  const diff = redact(await unifiedDiff(checkout.gitDir, staged, signal));
  return {
    ...{ tool: 'publish', digest },
    data: { kind: 'approval', shown: { command: undefined, rest: undefined, diff }, touches, reason },
  };
}

async function patchOf(
  { checkout, signal }: Workplace,
  refused: readonly TreeChange[],
  { redact }: PublicationParts,
): Promise<string> {
  const staged = await stageChanges(checkout, [...refused], signal);
  return redact(await unifiedDiff(checkout.gitDir, staged, signal));
}
