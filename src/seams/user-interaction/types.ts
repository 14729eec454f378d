import type { Agent } from '../../harness/agent/types.ts';

export interface AskUserQuestionOption {
  label: string;
  description?: string;
}
export interface AskUserQuestionItem {
  /** From the caller; comes back in the answer. */
  id: string;
  question: string;
  /** Shown with the question; never an option. */
  detail?: string;
  header?: string;
  /** Without any, the answer is free text. */
  options?: AskUserQuestionOption[];
  multiSelect?: boolean;
}
export interface AskUserQuestionRequest {
  questions: AskUserQuestionItem[];
  agent?: Agent;
  signal?: AbortSignal;
}
/** `selected` holds labels, exactly as they were offered; a skipped question has none and no text. */
export interface AskUserQuestionAnswerItem {
  id: string;
  selected: string[];
  custom?: string;
}
export interface AskUserQuestionAnswer {
  answers: AskUserQuestionAnswerItem[];
  /** Whose words a free text is, where the surface knows it: told to the model beside them. */
  answeredBy?: { login: string; permission: string };
}
/** Shows questions to people. The answer may come much later. */
export interface UserInteractionProvider {
  ask(request: AskUserQuestionRequest): Promise<AskUserQuestionAnswer>;
}
