import { BASH_TASKS } from './bash-tasks.ts';
import { JAVASCRIPT_TASKS } from './javascript-tasks.ts';
import { PYTHON_TASKS } from './python-tasks.ts';
import type { FixTask } from './task.ts';
import { TYPESCRIPT_TASKS } from './typescript-tasks.ts';

/** PR66: issues in four languages, some of them impossible, already fixed, or with hostile text. */
export const TASKS: readonly FixTask[] = [...JAVASCRIPT_TASKS, ...TYPESCRIPT_TASKS, ...PYTHON_TASKS, ...BASH_TASKS];
