import { isGone } from '../../../github/request-hook.ts';
import type { PermissionFact } from '../../../triggers/rights.ts';
import type { HumanRequest } from '../../../store/records.ts';
import type { RepositoryAccess } from '../../job/job.ts';
import { commentOf, redrawRequest } from '../ask/draw-request.ts';
import { judgeAnswer } from './judge-answer.ts';
import type { Given, Judgement, Rules } from './judge-answer.ts';
import { isOver } from '../is-over.ts';
import type { PeopleParts } from '../people-parts.ts';
import { settleRequest } from './settle-request.ts';

export type LookingPlace = Pick<RepositoryAccess, 'github' | 'repo' | 'ownLogin' | 'permissionOf'>;
export interface Looking {
  readonly place: LookingPlace;
  readonly rules: Rules;
  /** Epoch milliseconds. */
  readonly at: number;
  readonly signal?: AbortSignal | undefined;
}
export type Found = Extract<Judgement, { kind: 'settle' }>;

/** What no webhook tells: a reaction of somebody who may decide (A4), or that the time is over (A5). Settles nothing. */
export async function findUntold(request: HumanRequest, looking: Looking): Promise<Found | undefined> {
  const over = timeOut(request, looking.at);
  try {
    return (await findReaction(request, looking)) ?? over;
  } catch (error) {
    looking.signal?.throwIfAborted();
    // What GitHub does not say is not waited for beyond the time that people were given.
    if (over) return over;
    throw error;
  }
}

/** Looks for what no webhook tells, and settles the request by it. Undefined where nothing did. */
export async function lookAtRequest(
  request: HumanRequest,
  looking: Looking,
  parts: PeopleParts,
): Promise<HumanRequest | undefined> {
  const found = await findUntold(request, looking);
  const settled = found && (await settleRequest(request, found.state, found.answer, parts));
  if (settled) await redrawRequest(settled, looking.place, parts);
  return settled;
}

function timeOut(request: HumanRequest, at: number): Found | undefined {
  if (!isOver(request, at)) return undefined;
  const answer = { actor: undefined, how: 'timeout', value: undefined, url: undefined, at } as const;
  return { kind: 'settle', state: 'unavailable', answer };
}

/** The first thumb, up or down, of somebody whose thumb counts. Questions have none. */
async function findReaction(request: HumanRequest, { place, rules, signal }: Looking): Promise<Found | undefined> {
  const { kind, expiresAt } = request;
  const commentId = kind === 'approval' ? await commentOf(request, place, signal) : undefined;
  if (commentId === undefined) return undefined;
  for (const { user, content, created_at: at } of await readThumbs(place, commentId, signal)) {
    if (Date.parse(at) >= expiresAt) break;
    if (!user || user.type === 'Bot' || user.login === place.ownLogin) continue;
    const given: Given = {
      ...{ value: { kind: 'reaction', content }, how: 'reaction', url: undefined, at: Date.parse(at) },
      actor: { id: user.id, login: user.login },
      permission: await permissionOf(place, user.login, signal),
    };
    const judgement = judgeAnswer(request, given, rules);
    if (judgement.kind === 'settle') return judgement;
  }
  return undefined;
}

interface ReactionSeen {
  readonly content: string;
  readonly created_at: string;
  readonly user: { readonly id: number; readonly login: string; readonly type: string } | null;
}
type Thumb = ReactionSeen & { readonly content: '+1' | '-1' };

async function readThumbs({ github, repo }: LookingPlace, comment_id: number, signal?: AbortSignal): Promise<Thumb[]> {
  const about = { ...repo, comment_id, per_page: 100, request: { signal } };
  const reading = github.paginate(github.rest.reactions.listForIssueComment, about) as Promise<ReactionSeen[]>;
  const reactions = await reading.catch((error: unknown): ReactionSeen[] => {
    // Nobody reacts to a comment that is deleted.
    if (isGone(error)) return [];
    throw error;
  });
  return reactions
    .filter((one): one is Thumb => one.content === '+1' || one.content === '-1')
    .toSorted((a, b) => Date.parse(a.created_at) - Date.parse(b.created_at));
}

async function permissionOf(place: LookingPlace, login: string, signal?: AbortSignal): Promise<PermissionFact> {
  const answer = await place.permissionOf(place.repo, login, signal);
  return answer.kind === 'known' ? answer.permission : answer.kind;
}
