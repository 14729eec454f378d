import { describe, expect, it } from '@jest/globals';
import { todoTool } from '../../../src/seams/todo/todo-tool.ts';
import { createToolBench } from '../tool-bench.ts';

const step = (content: string, status = 'pending') => ({ content, status });

async function setUp() {
  const bench = await createToolBench();
  await bench.ctx.plugin(todoTool);
  const logged = () => bench.agent.session.events.filter(({ type }) => type === 'todo/write').map(({ data }) => data);
  return { bench, logged };
}

describe('prompts', () => {
  it('PR24 logs the whole list, trimmed, and returns the three counts', async () => {
    const { bench, logged } = await setUp();

    await bench.call('todo_write', { todos: [step('old')] });
    const todos = [step('  reproduce ', 'completed'), step('fix', 'in_progress'), step('test')];
    const text = await bench.text('todo_write', { todos });

    expect(text).toBe('1 completed, 1 in progress, 1 pending');
    expect(logged()).toEqual([
      { todos: [step('old')] },
      { todos: [step('reproduce', 'completed'), step('fix', 'in_progress'), step('test')] },
    ]);
  });

  it.each<[string, unknown, RegExp]>([
    ['an unknown field', [{ ...step('a'), priority: 'high' }], /todos\[0\].*priority/],
    ['a blank step', [step('a'), step('  ')], /todos\[1\]\.content: is blank/],
    ['a step twice', [step('a'), step(' a ')], /"a" is there twice/],
    ['two active steps', [step('a', 'in_progress'), step('b', 'in_progress')], /2 steps are in_progress/],
    ['an unknown status', [step('a', 'done')], /status/],
    ['a missing status', [{ content: 'a' }], /status/],
    ['no list', 'a', /todos/],
  ])('PR24 refuses the whole list with %s', async (_what, todos, text) => {
    const { bench, logged } = await setUp();

    const failure = await bench.failure('todo_write', { todos });

    expect(failure.code).toBe('INVALID_ARGS');
    expect(failure.text).toMatch(text);
    expect(logged()).toEqual([]);
  });

  it('PR24 accepts an empty list and refuses a call without an agent', async () => {
    const { bench, logged } = await setUp();

    expect(await bench.text('todo_write', { todos: [] })).toBe('0 completed, 0 in progress, 0 pending');
    expect(logged()).toEqual([{ todos: [] }]);
    expect(await bench.failure('todo_write', { todos: [] }, { agent: null })).toMatchObject({ code: 'TODO_NO_AGENT' });
  });

  it.each(['three or more steps', 'whole list each time', 'one step is in_progress', 'people see it as progress'])(
    'PR22 PR24 says in the description: %s',
    async (said) => {
      const { bench } = await setUp();
      const description = bench.ctx.tools.get('todo_write')!.description;

      expect(description).toContain(said);
      expect(description.length / 4).toBeLessThanOrEqual(200);
    },
  );
});
