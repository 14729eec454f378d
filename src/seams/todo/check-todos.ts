import { z } from 'zod';
import { HarnessError } from '../../harness/llm/errors.ts';
import type { TodoItem } from '../../harness/session/types.ts';

const Todos = z.array(
  z.strictObject({
    content: z.string().trim().min(1, 'is blank'),
    status: z.enum(['pending', 'in_progress', 'completed']),
  }),
);

/**
 * The list as it is logged, contents trimmed. What the model believes to have written and what is stored must agree,
 * so a field we do not know is refused and not dropped.
 * @throws HarnessError `INVALID_ARGS` that names every fault
 */
export function checkTodos(value: unknown): TodoItem[] {
  const parsed = Todos.safeParse(value);
  const faults = parsed.success ? listFaults(parsed.data) : parsed.error.issues.map(issueText);
  if (!parsed.success || faults.length > 0) {
    throw new HarnessError(
      `todos was not accepted: ${faults.join('; ')} — send the whole corrected list`,
      'INVALID_ARGS',
    );
  }
  return parsed.data;
}

function listFaults(todos: readonly TodoItem[]): string[] {
  const contents = todos.map(({ content }) => content);
  const doubled = new Set(contents.filter((content, index) => contents.indexOf(content) !== index));
  const active = todos.filter(({ status }) => status === 'in_progress').length;
  return [
    ...[...doubled].map((content) => `"${content}" is there twice`),
    ...(active > 1 ? [`${active} steps are in_progress, at most one can be`] : []),
  ];
}

function issueText({ path, message }: { path: PropertyKey[]; message: string }): string {
  const [index, ...rest] = path;
  const place = index === undefined ? 'todos' : [`todos[${String(index)}]`, ...rest.map(String)].join('.');
  return `${place}: ${message}`;
}
