import { calls, callsAll } from '../model/reply.ts';
import type { Reply } from '../model/reply.ts';

const call = (name: string, args: unknown) => ({ name, arguments: JSON.stringify(args) });

const SOURCE = 'src/parse-duration.js';
const TESTS = 'test/parse-duration.test.js';

/** What the scripted model does about the demo's issue: it errs once (an edit that does not match) and mends that. */
export const FIX_SCRIPT: readonly Reply[] = [
  callsAll([
    call('bash', { command: 'npm test', description: 'See the tests fail' }),
    call('read', { file_path: SOURCE }),
    call('read', { file_path: TESTS }),
  ]),
  calls('todo_write', {
    todos: [
      { content: 'Reproduce: the test of several units fails', status: 'completed' },
      { content: 'Add the units up', status: 'in_progress' },
      { content: 'Add a test of three units', status: 'pending' },
    ],
  }),
  calls('edit', {
    file_path: SOURCE,
    old_string: '  total = Number(amount) * UNITS[unit]',
    new_string: '  total += Number(amount) * UNITS[unit];;',
  }),
  calls('edit', { file_path: SOURCE, old_string: 'UNITS[unit];;;', new_string: 'UNITS[unit];' }),
  calls('edit', {
    file_path: TESTS,
    old_string: "test('no duration', () => {",
    new_string:
      "test('three units add up', () => {\n  assert.equal(parseDuration('1h1m1s'), 3_661_000);\n});\n\ntest('no duration', () => {",
  }),
  callsAll([
    call('bash', { command: 'npm test', description: 'Run the tests again' }),
    call('todo_write', {
      todos: [
        { content: 'Reproduce: the test of several units fails', status: 'completed' },
        { content: 'Add the units up', status: 'completed' },
        { content: 'Add a test of three units', status: 'completed' },
      ],
    }),
  ]),
  calls('submit_result', {
    outcome: 'fixed',
    title: 'Add up all units of a duration',
    summary:
      "`parseDuration('1h30m')` gives 5400000 again, as the README says: each unit is added to the total instead of replacing it.",
    cause: 'src/parse-duration.js:7 assigned the last unit to `total`.',
    verification: [{ command: 'npm test', outcome: 'passed' }],
    notes: [],
  }),
];

/** The same, with the second look at its own change that a model is asked for before its result counts. */
export const DEMO_SCRIPT: readonly Reply[] = [...FIX_SCRIPT, ...FIX_SCRIPT.slice(-1)];
