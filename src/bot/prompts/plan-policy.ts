/** Where nobody can be asked. */
export const NO_PLAN_QUESTIONS =
  'What a person alone can decide becomes an assumption of the plan, named as such, with the choice you recommend.';

/** Where somebody can (PR35). */
export const PLAN_QUESTIONS =
  'Questions are for what a person alone can decide: one request of at most three in this job. The answer is part of the request; where none comes, the option you recommended becomes an assumption of the plan, named as such.';

/** `plan:policy` of a plan turn. */
export const PLAN_POLICY = `Find out by reading: the cause, the callers, the tests that cover them, how sister code does it. Change nothing and do no part of the work. ${NO_PLAN_QUESTIONS}`;
