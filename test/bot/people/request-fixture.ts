import { SessionId } from '../../../src/harness/session/types.ts';
import type { AskUserQuestionItem } from '../../../src/seams/user-interaction/types.ts';
import { actionDigest } from '../../../src/bot/people/ask/request-digest.ts';
import type { Given } from '../../../src/bot/people/answer/judge-answer.ts';
import type { HumanRequest } from '../../../src/store/records.ts';
import { CallId } from '../../../src/harness/llm/types.ts';

export const ARGUMENTS = '{"command":"rm -rf build"}';
const MARIA = { id: 5, login: 'maria' };

export const RULES = {
  permissions: { run: 'write', ask: 'write', approve: 'write' },
  approval: { timeoutMs: 1_000, fourEyes: false, rules: [] },
} as const;

/** An approval of one command, asked of maria. */
export function approvalRequest(changed: Partial<HumanRequest> = {}): HumanRequest {
  return {
    ...{ id: 'ap_1', kind: 'approval', session: SessionId('gh-1-7-1'), repo: 1, turn: 1, callId: CallId('c1') },
    ...{ tool: 'bash', digest: actionDigest('bash', ARGUMENTS), askedOf: MARIA, commentId: 77 },
    data: {
      ...{ kind: 'approval', language: 'en', headSha: 'a'.repeat(40), snapshot: null },
      ...{ shown: { command: 'rm -rf build' }, reason: 'to clean up', touches: ['the work tree of this session'] },
    },
    job: {
      turn: {
        ...{ kind: 'turn', job: 'fix', request: 'Fix it.', permission: 'write' },
        reading: { subject: { kind: 'issue', number: 7 }, cause: 'comment-1', actor: MARIA, repo: { id: 1 } },
      },
    },
    ...{ askedAt: 0, expiresAt: 1_000, state: 'pending', answer: undefined },
    ...changed,
  };
}

export const COLOUR: AskUserQuestionItem = {
  id: 'colour',
  question: 'Which colour?',
  options: [{ label: 'Red (Recommended)', description: 'warm' }, { label: 'Blue' }],
};

export function questionRequest(
  questions: readonly AskUserQuestionItem[] = [COLOUR],
  changed: Partial<HumanRequest> = {},
): HumanRequest {
  return approvalRequest({
    ...{ id: 'q_1', kind: 'question', tool: 'ask_user_question', digest: '' },
    data: JSON.parse(
      JSON.stringify({ kind: 'question', language: 'en', headSha: 'a'.repeat(40), snapshot: null, questions }),
    ),
    ...changed,
  });
}

export function given(value: Given['value'], changed: Partial<Given> = {}): Given {
  const how = value.kind === 'boxes' ? 'box' : value.kind === 'reaction' ? 'reaction' : 'command';
  return { value, how, actor: { id: 6, login: 'otto' }, permission: 'write', url: undefined, at: 5, ...changed };
}
