import type { MessageSource } from '../harness/llm/types.ts';
import type { JsonValue, TurnTrigger } from '../harness/session/types.ts';
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
  readonly place: CommentPlace;
}

interface Origin {
  readonly repo: EventRepository;
  readonly subject: SubjectRef;
  readonly actor: Actor;
  /** What started it; a cause starts at most one turn, ever (T5). */
  readonly cause: string;
  readonly delivery: string;
}

/** Which command of its comment it is, from 0: each is answered for itself. */
interface Numbered {
  readonly nth: number;
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
  | 'no-permission';

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
  | ({ readonly kind: 'misunderstood'; readonly reply: string; readonly comment: CommentRef | undefined } & Numbered &
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

export type JobKind = 'fix' | 'review' | 'ask';

/** A reading that is about something. */
export type ReadSubject = Exclude<Reading, { kind: 'ignore' }>;
