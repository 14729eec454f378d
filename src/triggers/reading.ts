import type { MessageSource } from '../harness/llm/types.ts';
import type { JsonValue, SessionId, TurnTrigger } from '../harness/session/types.ts';
import type { Command } from './parse-commands.ts';

/** An event as a host received it: a webhook delivery, an Action's event file, or one the command line made. */
export interface GitHubEvent {
  readonly name: string;
  /** The delivery id, or the run id of an Action. */
  readonly delivery: string;
  readonly payload: JsonValue;
}

/** A repository as events name it; `owner` and `repo` are what REST calls take. */
export interface EventRepository {
  readonly id: number;
  readonly owner: string;
  readonly repo: string;
  readonly private: boolean;
  readonly defaultBranch: string;
}

export interface SubjectRef {
  readonly kind: 'issue' | 'pull';
  readonly number: number;
}

export interface Actor {
  readonly id: number;
  readonly login: string;
  readonly association: string;
  /** A bot that the settings allow (T7). */
  readonly isBot?: boolean;
}

/** Where a command was written, so that a reaction can be put on it. */
export type CommentPlace =
  | { readonly kind: 'issue' }
  | { readonly kind: 'issue-comment'; readonly id: number }
  | { readonly kind: 'review'; readonly id: number }
  | { readonly kind: 'review-comment'; readonly id: number; readonly thread: ReviewThread };

export interface ReviewThread {
  readonly path: string;
  readonly side: 'LEFT' | 'RIGHT';
  readonly startLine: number | undefined;
  readonly line: number | undefined;
  readonly hunk: string;
  /** The first comment of the thread. */
  readonly rootId: number;
}

export interface CommentRef {
  readonly url: string;
  /** Epoch milliseconds, of which GitHub tells whole seconds; an edit leaves it as it was. */
  readonly createdAt?: number;
  readonly place: CommentPlace;
}

interface Origin {
  readonly repo: EventRepository;
  readonly subject: SubjectRef;
  readonly actor: Actor;
  /** When somebody wrote, edited or ticked it, as GitHub tells: epoch milliseconds, in whole seconds. */
  readonly saidAt?: number;
  /** What started it; a cause starts at most one turn, ever (T5). */
  readonly cause: string;
  readonly delivery: string;
  /** The session that the marker of a pull request names, where our own bot opened it (T9). */
  readonly markedSession?: SessionId;
}

/** Which command of its comment it is, from 0: each is answered for itself. */
interface Numbered {
  readonly nth: number;
}

/** Whether a repository's own settings (aliases, label, branch prefix) can make more of it. */
interface Unsure {
  readonly mayBeMore: boolean;
}

export type IgnoreReason =
  | 'nothing-addressed'
  | 'no-command'
  | 'own-author'
  | 'bot-author'
  | 'marker'
  | 'edited-command'
  | 'event-not-used'
  | 'malformed-payload'
  | 'draft'
  | 'automatic-review-off'
  | 'cause-taken'
  | 'no-permission'
  | 'too-many-bot-turns'
  | 'too-many-commands'
  | 'nothing-to-tell'
  | 'nothing-to-end'
  | 'nothing-ticked'
  | 'no-open-question'
  | 'check-not-ours'
  | 'check-passed'
  | 'closed';

/** Why a session's turns end although nobody wrote to us (S3). */
export type EndReason = 'closed' | 'merged' | 'comment-deleted' | 'uninstalled' | 'suspended';

/** What one event says, before anything is looked up. */
export type Reading =
  | { readonly kind: 'ignore'; readonly why: IgnoreReason }
  | ({
      readonly kind: 'command';
      readonly command: Command;
      readonly comment: CommentRef | undefined;
      readonly byAuthor: boolean;
    } & Numbered &
      Origin)
  | ({
      readonly kind: 'misunderstood';
      readonly reply: string;
      readonly line?: string;
      readonly comment: CommentRef | undefined;
    } & Numbered &
      Origin)
  | ({
      readonly kind: 'pull-request';
      readonly action: string;
      readonly author: Actor;
      readonly headSha: string;
      readonly baseSha: string;
      readonly fromFork: boolean;
    } & Origin)
  | ({
      /** The label that starts us, or the assignment to us (T14). */
      readonly kind: 'labelled';
      readonly action: 'labeled' | 'assigned';
      readonly label: string | undefined;
    } & Origin)
  | ({
      /** A check that failed on a branch with our prefix (F4); whether we made it is looked up. */
      readonly kind: 'check-failure';
      readonly run: { readonly id: number; readonly name: string; readonly url: string };
      readonly headSha: string;
    } & Origin)
  | ({
      /** Boxes that a person ticked in a comment of ours: by their places among all of its boxes, from 0. */
      readonly kind: 'boxes';
      readonly request: string;
      readonly commentId: number;
      readonly ticked: readonly number[];
      /** All that are ticked now. */
      readonly checked: readonly number[];
      /** The person edited what we wrote, too. */
      readonly isAltered?: boolean;
    } & Origin)
  | ({
      /** A comment without a command; it may answer a question (Q1). */
      readonly kind: 'remark';
      readonly text: string;
      /** What it quotes, line by line. */
      readonly quoted: string;
      readonly comment: CommentRef;
      readonly byAuthor: boolean;
    } & Unsure &
      Origin)
  | ({
      /** Something happened that a turn which runs or waits should know. `text` is data from outside. */
      readonly kind: 'note';
      readonly what: 'push' | 'check' | 'body-edited' | 'label';
      readonly text: string;
    } & Unsure &
      Origin)
  | ({
      readonly kind: 'end';
      readonly why: EndReason;
      /** Only the turn of this cause ends; else all of the session. */
      readonly of: string | undefined;
      /** A comment that is gone; it may have been a request of ours. */
      readonly commentId: number | undefined;
    } & Origin)
  | ({
      /** Read by an added reader: a turn of a kind of its own. */
      readonly kind: 'custom';
      readonly job: JobKind;
      /** What the model is asked; the operator's words. Text from outside is told as data by the job itself. */
      readonly request: string;
      /** What the log keeps; `cause` and `delivery` are added to it, so that a cause starts one turn here, too. */
      readonly trigger: TurnTrigger;
      /** Who speaks. */
      readonly source: MessageSource;
    } & Origin);

export type JobKind = 'fix' | 'review' | 'ask' | 'plan' | 'goal';

/** A reading that is about something. */
export type ReadSubject = Exclude<Reading, { kind: 'ignore' }>;
