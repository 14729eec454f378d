import type { AskUserQuestionItem } from '../../seams/user-interaction/types.ts';
import type { Language } from '../language.ts';

/** What the comment of a request is drawn from. Texts of the model are as it wrote them, secrets out. */
interface RequestFacts {
  readonly id: string;
  readonly language: Language;
  /** Login of whoever started the turn. */
  readonly askedOf: string;
  /** Epoch milliseconds. */
  readonly expiresAt: number;
  /** Places of the boxes that are ticked. */
  readonly checked?: readonly number[];
  readonly settled?: Settled | undefined;
}

export interface ApprovalView extends RequestFacts {
  readonly kind: 'approval';
  readonly tool: string;
  /** What will run, from the logged call; for a publication the plan, line by line. */
  readonly shown: ShownAction;
  readonly reason: string | undefined;
  /** In plain words, one line each. */
  readonly touches: readonly string[];
  readonly headSha: string;
}

/** A command stands in a block of its own; `rest` is everything else, as JSON. */
export interface ShownAction {
  readonly command: string | undefined;
  readonly rest: string | undefined;
  /** A patch, shown folded. */
  readonly diff?: string | undefined;
}

export interface QuestionView extends RequestFacts {
  readonly kind: 'question';
  readonly questions: readonly AskUserQuestionItem[];
}

export type RequestView = ApprovalView | QuestionView;

/** How a request ended; `reason` is a person's, or ours where it was withdrawn. */
export interface Settled {
  readonly state: 'allowed' | 'rejected' | 'answered' | 'cancelled' | 'unavailable';
  readonly by: string | undefined;
  readonly how: 'box' | 'reaction' | 'command' | 'reply' | 'terminal' | 'timeout' | 'withdrawn';
  readonly at: number;
  readonly reason?: string | undefined;
  /** What questions were answered with, line by line. */
  readonly answers?: readonly string[] | undefined;
}
