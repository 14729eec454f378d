/** `plan:policy` of a plan turn. */
export const PLAN_POLICY = `Find out by reading: the cause, the callers, the tests that cover them, how sister code does it. Change nothing and do no part of the work. What a person alone can decide becomes an assumption of the plan, named as such, with the choice you recommend.`;
