import { toolSection } from '../bash/tool-section.ts';
import type { Context, Plugin } from '../../harness/kernel/context.ts';
import { HarnessError } from '../../harness/llm/errors.ts';
import type { TodoItem } from '../../harness/session/types.ts';
import { defineTool } from '../../harness/tools/define-tool.ts';
import type { ToolDefinition, ToolExecution } from '../../harness/tools/types.ts';
import { checkTodos } from './check-todos.ts';

const DESCRIPTION = `Keeps the list of steps of this job; people see it as progress.
- Only for work of three or more steps.
- Send the whole list each time; it replaces the former one.
- At most one step is in_progress: the one being worked on. Mark a step completed when it is, not at the end.
- Refused as a whole when an item is blank, doubled or has other fields.`;

const GUIDANCE = 'Plan work of three or more steps with todo_write and keep it true; shorter work needs no list.';

export const todoTool: Plugin<void> = {
  name: 'todo-tool',
  inject: ['tools', 'systemPrompt'],
  apply(ctx: Context) {
    ctx.tools.register(defineTodoWrite());
    toolSection(ctx, 'todo_write', 107, GUIDANCE);
  },
};

function defineTodoWrite(): ToolDefinition {
  return defineTool({
    name: 'todo_write',
    description: DESCRIPTION,
    parameters: {
      todos: {
        type: 'array',
        required: true,
        description: 'All steps, in order.',
        items: {
          type: 'object',
          properties: {
            content: { type: 'string', required: true, description: 'The step, in a few words.' },
            status: { type: 'string', required: true, enum: ['pending', 'in_progress', 'completed'] },
          },
        },
      },
    },
    execute: async ({ todos }, exec) => [{ type: 'text', text: writeTodos(todos, exec) }],
    presentCall: ({ todos }) => ({ card: 'generic', title: `todo list, ${todos.length} steps` }),
  });
}

function writeTodos(value: unknown, { agent }: ToolExecution): string {
  if (!agent) throw new HarnessError('todo_write needs an agent: the list belongs to a session', 'TODO_NO_AGENT');
  const todos = checkTodos(value);
  agent.session.append('todo/write', { todos });
  return countLine(todos);
}

function countLine(todos: readonly TodoItem[]): string {
  const count = (status: TodoItem['status']) => todos.filter((todo) => todo.status === status).length;
  return `${count('completed')} completed, ${count('in_progress')} in progress, ${count('pending')} pending`;
}
