import type { Context } from '../../harness/kernel/context.ts';
import { HarnessError } from '../../harness/llm/errors.ts';
import type { SessionEvent } from '../../harness/session/types.ts';
import { defineTool } from '../../harness/tools/define-tool.ts';
import type { ToolDefinition } from '../../harness/tools/types.ts';
import { answerText } from '../../seams/user-interaction/ask-user-question-tool.ts';
import type { AskUserQuestionAnswer, AskUserQuestionItem } from '../../seams/user-interaction/types.ts';
import '../../seams/user-interaction/user-interaction-service.ts';
import { standsAlone } from './stands-alone.ts';

const APPROVE = 'Approve';
const KEEP_PLANNING = 'Keep planning';
const NOBODY = 'Nobody can be asked here: the plan is posted as it is.';

/**
 * The tool that ends a plan: a person approves it, or says what to change (user-interaction.md N11). Its result is the
 * answer as `ask_user_question` gives it, so that one that came while the turn was parked reads the same.
 */
export function submitPlanTool(kernel: () => Context): ToolDefinition {
  return defineTool({
    name: 'submit_plan',
    description:
      'Submits the plan to a person and waits for the answer, which may take days; call it alone in its message. The answer holds the option chosen, or words of the person: what to change. Once it is approved the plan is carried out in a turn of its own.',
    parameters: { plan: { type: 'string', required: true, description: 'The whole plan, in Markdown.' } },
    execute: async ({ plan }, { agent, callId, signal }) => {
      if (!standsAlone(agent?.session.events ?? [], callId)) throw refused('another call stands in the same message');
      if (plan.trim() === '') throw refused('the plan is empty');
      const answer = await ask({ questions: [question(plan)], ...(agent && { agent }), signal }, kernel());
      return [{ type: 'text', text: answer ? answerText(answer) : NOBODY }];
    },
  });
}

function question(plan: string): AskUserQuestionItem {
  return {
    id: 'plan',
    question: 'Shall this plan be carried out?',
    detail: plan,
    options: [{ label: APPROVE }, { label: KEEP_PLANNING, description: 'or answer with what to change' }],
  };
}

/** Undefined where there is nobody to ask. */
async function ask(
  request: Parameters<Context['userInteraction']['ask']>[0],
  { userInteraction }: Context,
): Promise<AskUserQuestionAnswer | undefined> {
  try {
    return await userInteraction.ask(request);
  } catch (error) {
    if ((error as { code?: unknown }).code === 'NO_PROVIDER') return undefined;
    throw error;
  }
}

function refused(what: string): HarnessError {
  return new HarnessError(`${what} — call submit_plan alone, with the whole plan`, 'SUBMIT_REFUSED');
}

export interface SubmittedPlan {
  readonly plan: string;
  /** `open`: the answer asked for more. */
  readonly state: 'approved' | 'posted' | 'open';
}

/** The plan that was submitted last, as the log has it. Pure. */
export function submittedPlan(events: readonly SessionEvent[]): SubmittedPlan | undefined {
  const call = events.findLast((event) => event.type === 'tool/call' && event.data.name === 'submit_plan');
  if (call?.type !== 'tool/call') return undefined;
  const result = events.findLast((event) => event.type === 'tool/result' && event.data.callId === call.data.callId);
  if (result?.type !== 'tool/result' || result.data.isError) return undefined;
  const { plan } = JSON.parse(call.data.arguments) as { plan: string };
  const text = result.data.content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('');
  return { plan, state: text === NOBODY ? 'posted' : isApproval(text) ? 'approved' : 'open' };
}

function isApproval(text: string): boolean {
  try {
    const { answers } = JSON.parse(text) as AskUserQuestionAnswer;
    return answers.some(({ selected }) => selected.includes(APPROVE));
  } catch {
    return false; // a refusal in words
  }
}
