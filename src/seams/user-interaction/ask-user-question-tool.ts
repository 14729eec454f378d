import { toolSection } from '../bash/tool-section.ts';
import type { Context, Plugin } from '../../harness/kernel/context.ts';
import { defineTool } from '../../harness/tools/define-tool.ts';
import type { ToolDefinition } from '../../harness/tools/types.ts';
import type { AskUserQuestionAnswer, AskUserQuestionItem } from './types.ts';

const DESCRIPTION = `Asks the person who gave the task one or more questions, and waits for the answer, which may take days.
- Only for what you cannot find out yourself and what changes the result: ask before the work that depends on it.
- Give options where you can; the one you recommend goes first with "(Recommended)" appended to its label.
- The person may answer in own words instead of choosing.
- It asks for information, never for permission.`;

const GUIDANCE =
  'When a decision is the person’s and the task does not settle it, ask with ask_user_question; otherwise decide and say what you decided.';

export const askUserQuestionTool: Plugin<void> = {
  name: 'ask-user-question-tool',
  inject: ['tools', 'systemPrompt', 'userInteraction'],
  apply(ctx: Context) {
    ctx.tools.register(defineAskUserQuestion(ctx));
    toolSection(ctx, 'ask_user_question', 109, GUIDANCE);
  },
};

function defineAskUserQuestion(ctx: Context): ToolDefinition {
  return defineTool({
    name: 'ask_user_question',
    description: DESCRIPTION,
    parameters: {
      questions: {
        type: 'array',
        required: true,
        description: 'At least one; all are answered together.',
        items: {
          type: 'object',
          properties: {
            id: {
              type: 'string',
              required: true,
              description: 'Names the question in the answer; unique in the call.',
            },
            question: { type: 'string', required: true, description: 'One concise question.' },
            header: { type: 'string', description: 'A few words above it.' },
            options: {
              type: 'array',
              description: 'What can be chosen; leave it out for a free answer.',
              items: {
                type: 'object',
                properties: {
                  label: { type: 'string', required: true },
                  description: { type: 'string' },
                },
              },
            },
            multi_select: { type: 'boolean', description: 'Whether several options may be chosen.' },
          },
        },
      },
    },
    execute: async ({ questions }, { agent, signal }) => {
      const request = { questions: questions.map(toItem), signal, ...(agent && { agent }) };
      return [{ type: 'text', text: answerText(await ctx.userInteraction.ask(request)) }];
    },
    presentCall: ({ questions }) => ({ card: 'generic', title: `ask: ${questions[0]?.question ?? ''}` }),
  });
}

/** What the tool tells the model of an answer, however it came. */
export function answerText({ answers, answeredBy }: AskUserQuestionAnswer): string {
  return JSON.stringify({
    answers: answers.map(({ id, selected, custom }) => ({ id, selected, ...(custom !== undefined && { custom }) })),
    ...(answeredBy && { answered_by: answeredBy }),
  });
}

interface AskedQuestion {
  readonly id: string;
  readonly question: string;
  readonly header?: string | undefined;
  readonly options?: readonly { readonly label: string; readonly description?: string | undefined }[] | undefined;
  readonly multi_select?: boolean | undefined;
}

/** Only declared fields go on, and absent ones stay absent. */
export function toItem({
  id,
  question,
  header,
  options,
  multi_select: multiSelect,
}: AskedQuestion): AskUserQuestionItem {
  return {
    id,
    question,
    ...(header !== undefined && { header }),
    ...(options !== undefined && {
      options: options.map(({ label, description }) => ({ label, ...(description !== undefined && { description }) })),
    }),
    ...(multiSelect !== undefined && { multiSelect }),
  };
}
