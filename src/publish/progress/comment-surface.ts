import type { GitHub } from '../../github/client.ts';
import { upsertComment } from '../../github/comments.ts';
import type { CommentPlace, OwnComment } from '../../github/comments.ts';
import { addReaction, removeOwnReaction } from '../../github/reactions.ts';
import type { ReactionTarget } from '../../github/reactions.ts';
import type { RepoRef } from '../../github/repository.ts';
import { statusOf } from '../../github/request-hook.ts';
import type { CommentRef, Reading, SubjectRef } from '../../triggers/reading.ts';
import { commentPlace } from './comment-place.ts';
import { CoalescedEdits } from './coalesced-edits.ts';
import { inertInline } from '../markdown/inert-line.ts';
import { jobMarker, refusalMarker, replyMarker } from '../markers.ts';
import type { Ending } from './progress.ts';
import { openCheckProgress } from '../review/review-check.ts';
import type { Language } from '../language.ts';
import { replyTextsFor } from '../../triggers/reply-texts.ts';
import { isTakenElsewhere, yieldToOlder } from './taken-elsewhere.ts';
import type { Answer, Draw, JobIdentity, Progress, Refusal, Reply, Steering, Surface, Turn } from './surface.ts';

export interface CommentSurfaceOptions {
  readonly github: GitHub;
  readonly repo: RepoRef;
  /** The login whose comments are ours. */
  readonly ownLogin: string;
  readonly everyMs: number;
  /** Of short replies; by default that of the person. */
  readonly language?: Language | undefined;
  readonly redact: (text: string) => string;
  readonly log: (message: string, error: unknown) => void;
}

/** Tells everything on the issue or pull request itself: reactions, one progress comment, short replies. */
export class CommentSurface implements Surface {
  readonly #options: CommentSurfaceOptions;

  constructor(options: CommentSurfaceOptions) {
    this.#options = options;
  }

  async accepted({ reading }: Turn | Steering): Promise<void> {
    await this.#react(reading, 'eyes');
  }

  async withdrawn({ reading }: Turn): Promise<void> {
    await this.#takeBack(reading, 'eyes');
  }

  async refused({ why, reading }: Refusal): Promise<void> {
    const words =
      reading.kind === 'command' ? reading.command.text : reading.kind === 'misunderstood' ? (reading.line ?? '') : '';
    const texts = replyTextsFor(this.#options.language, words);
    await this.#react(reading, '-1');
    const marker = refusalMarker(reading.actor.id);
    await this.#say(commentPlace(reading), marker, `${texts.refusals[why]} (${inertInline(reading.actor.login)})`);
  }

  async replied({ text, reading }: Reply): Promise<void> {
    const nth = reading.kind === 'remark' ? 0 : reading.nth;
    await this.#say(commentPlace(reading), replyMarker(reading.cause, nth), text);
  }

  async counted({ reading }: Pick<Answer | Reply, 'reading'>): Promise<void> {
    await this.#react(reading, '+1');
  }

  async openProgress(turn: Turn, job: JobIdentity, draw: Draw): Promise<Progress> {
    const { github, repo, ownLogin, everyMs, log } = this.#options;
    const place = commentPlace(turn.reading);
    const check = await this.#openCheck(turn, job);
    if (check) return check;
    const draft = { marker: jobMarker(job.session, job.cause), ownLogin };
    const comment = await this.#tell('the progress comment could not be made', () =>
      upsertComment(github, repo, place, { ...draft, body: this.#body(draw()) }),
    );
    if (comment) await this.#yieldToOlder(turn, comment);
    const write = async (body: string) => {
      await upsertComment(github, repo, place, { ...draft, id: comment?.id, body });
    };
    const edits = new CoalescedEdits({ everyMs, draw: () => this.#body(draw()), write, log });
    return {
      changed: () => edits.request(),
      leave: () => edits.leave(),
      end: async (ending) => {
        await this.#tell('the result could not be told', () => edits.finish(this.#body(draw(ending))));
        if (ending.state !== 'waiting') await this.#settleReactions(turn.reading, ending);
      },
    };
  }

  /** An automatic review has no comment of its own where its check run can tell how it goes (P2). */
  async #openCheck({ reading }: Turn, job: JobIdentity): Promise<Progress | undefined> {
    if (reading.kind !== 'pull-request') return undefined;
    const { github, repo, ownLogin } = this.#options;
    return this.#tell('the check run could not be made', () =>
      openCheckProgress({ github, repo, headSha: reading.headSha, ownLogin }, job),
    );
  }

  async #yieldToOlder(turn: Turn, comment: OwnComment): Promise<void> {
    const { reading } = turn;
    try {
      await this.#tell('other comments could not be read', () =>
        yieldToOlder(this.#options, commentPlace(reading), comment, reading.cause),
      );
    } catch (error) {
      if (isTakenElsewhere(error)) await this.#takeBack(reading, 'eyes');
      throw error;
    }
  }

  async #settleReactions(reading: Turn['reading'], ending: Ending): Promise<void> {
    await this.#react(reading, ending.state === 'done' ? 'rocket' : 'confused');
    await this.#takeBack(reading, 'eyes');
    // An earlier run of the same command may have failed: its reaction is no longer true.
    if (ending.state === 'done') await this.#takeBack(reading, 'confused');
  }

  async #takeBack(reading: Turn['reading'], content: 'eyes' | 'confused'): Promise<void> {
    const target = targetOf(reading);
    const { github, repo, ownLogin } = this.#options;
    if (target)
      await this.#tell('a reaction could not be taken back', () =>
        removeOwnReaction(github, repo, target, content, ownLogin),
      );
  }

  async #react(reading: Reading, content: 'eyes' | 'rocket' | 'confused' | '+1' | '-1'): Promise<void> {
    const target = targetOf(reading);
    const { github, repo } = this.#options;
    if (target) await this.#tell('a reaction could not be set', () => addReaction(github, repo, target, content));
  }

  /** What GitHub refuses here (a deleted comment, a locked issue, a right we lack) is for the operator: it decides no job. */
  async #tell<T>(failure: string, write: () => Promise<T>): Promise<T | undefined> {
    try {
      return await write();
    } catch (error) {
      if (statusOf(error) === undefined) throw error;
      this.#options.log(failure, error);
      return undefined;
    }
  }

  async #say(place: CommentPlace, marker: string, text: string): Promise<void> {
    const { github, repo, ownLogin } = this.#options;
    await upsertComment(github, repo, place, { marker, ownLogin, body: this.#body(`${marker}\n${text}`) });
  }

  #body(text: string): string {
    return this.#options.redact(text);
  }
}

/** Reviews take no reactions over REST; an automatic event has no comment to react to. */
function targetOf(reading: Reading): ReactionTarget | undefined {
  const isWritten = reading.kind === 'command' || reading.kind === 'misunderstood' || reading.kind === 'remark';
  if (!isWritten || !reading.comment) return undefined;
  return reactionTarget(reading.comment, reading.subject);
}

function reactionTarget({ place }: CommentRef, subject: SubjectRef): ReactionTarget | undefined {
  switch (place.kind) {
    case 'issue':
      return { kind: 'issue', number: subject.number };
    case 'issue-comment':
      return { kind: 'issue-comment', id: place.id };
    case 'review-comment':
      return { kind: 'review-comment', id: place.id };
    case 'review':
      return undefined;
  }
}
