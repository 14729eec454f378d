import type { Agent } from '../../../harness/agent/types.ts';
import { stageChanges } from '../../../github/tree/stage-changes.ts';
import type { StagedTree } from '../../../github/tree/stage-changes.ts';
import type { TreeChange } from '../../../github/tree/types.ts';
import { unifiedDiff } from '../../../github/tree/unified-diff.ts';
import type { ApprovalRequest, ApprovalOutcome } from '../../../seams/approval/types.ts';
import type { HumanRequests } from '../../../store/records.ts';
import type { JobRequest } from '../../job/job.ts';
import type { Workplace } from '../../job/job-kind.ts';
import type { Asking } from './ask-people.ts';
import { judgePublication } from '../answer/judge-publication.ts';
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

/**
 * Asks for what a publication may not do by itself: all of it in one request, once for one exact plan (A6). What is
 * refused is left out and given as a patch.
 */
export async function askPublication(
  workplace: Workplace,
  changes: readonly TreeChange[],
  parts: PublicationParts,
): Promise<Permitted> {
  const { approval } = parts.request.config;
  const judged = judgePublication(changes, approval.rules);
  if (judged.asked.length === 0 && judged.denied.length === 0) return { changes, refused: undefined, notes: [] };
  const outcome = judged.asked.length > 0 ? await decide(workplace, changes, judged.asked, parts) : 'allowed-once';
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

async function decide(
  workplace: Workplace,
  changes: readonly TreeChange[],
  asked: readonly TreeChange[],
  parts: PublicationParts,
): Promise<ApprovalOutcome> {
  const { agent, ctx, signal } = workplace;
  const staged = await stageChanges(workplace.checkout, [...changes], signal);
  const digest = planDigest(staged, asked);
  const carried = await carriedDecision(agent, digest, parts.requests);
  if (carried) return carried;
  const approval = ctx.get('approval');
  if (!approval) return 'unavailable';
  const request: ApprovalRequest = { agent, toolName: 'publish', reason: reasonFor(changes, asked), signal };
  parts.publications.add(request, await askingFor(workplace, { staged, asked, changes, digest }, parts));
  return approval.request(request);
}

/** The tree that would be published, the commit it stands on, and what of it is asked for. */
function planDigest({ parentSha, treeSha }: StagedTree, asked: readonly TreeChange[]): string {
  return actionDigest('publish', JSON.stringify([parentSha, treeSha, asked.map(({ path }) => path)]));
}

/** The decision that opened this turn, where it was for this very plan; for another one it is asked anew (N7). */
async function carriedDecision(
  { session }: Agent,
  digest: string,
  requests: HumanRequests,
): Promise<ApprovalOutcome | undefined> {
  const start = session.events.findLastIndex(({ type }) => type === 'turn/start');
  for (const event of session.events.slice(start)) {
    if (event.type !== 'approval/decided') continue;
    const request = await requests.get(event.data.id);
    const isThis = request?.tool === 'publish' && request.callId === undefined && request.digest === digest;
    if (isThis) return event.data.outcome;
  }
  return undefined;
}

interface Plan {
  readonly staged: StagedTree;
  readonly asked: readonly TreeChange[];
  readonly changes: readonly TreeChange[];
  readonly digest: string;
}

async function askingFor(
  { checkout, signal }: Workplace,
  { staged, asked, changes, digest }: Plan,
  { redact }: PublicationParts,
): Promise<PublicationAsking> {
  const diff = redact(await unifiedDiff(checkout.gitDir, staged, signal));
  const touches = asked.map(({ kind, path }) => redact(`${path} (${kind})`));
  return {
    ...{ tool: 'publish', digest },
    data: {
      ...{ kind: 'approval', shown: { command: undefined, rest: undefined, diff }, touches },
      reason: reasonFor(changes, asked),
    },
  };
}

function reasonFor(changes: readonly TreeChange[], asked: readonly TreeChange[]): string {
  if (asked.length === changes.length && changes.length > 1) return `all ${changes.length} changed files need approval`;
  return `${asked.length} of ${changes.length} changed files need approval`;
}

async function patchOf(
  { checkout, signal }: Workplace,
  refused: readonly TreeChange[],
  { redact }: PublicationParts,
): Promise<string> {
  const staged = await stageChanges(checkout, [...refused], signal);
  return redact(await unifiedDiff(checkout.gitDir, staged, signal));
}
