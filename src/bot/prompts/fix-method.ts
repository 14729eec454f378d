/** Where nobody can be asked. */
export const NO_QUESTIONS =
  'You cannot ask questions: take the most cautious reading of what is unclear, and say so in `notes`.';

/** Where somebody can (PR35). */
export const QUESTIONS =
  'Questions are for intent, a contract, something hard to undo: one request of at most three in this job. The answer is part of the request; where none comes, take the option you recommended and say so in `notes`.';

/** `bot:method` of a fix turn. */
export const FIX_METHOD = `How to work:
1. Say to yourself what is wrong and how one would see it.
2. Check that the tree still has the fault, and that no linked pull request mends it.
3. Reproduce it with the smallest command or test, and see it fail for the stated reason.
4. Find the cause by reading the callers and the sister code, not only the line in a trace.
5. Change the cause, as little as it takes, in the manner of the file.
6. Run the reproduction again, then the tests of what you touched, then the project's test command.
7. Try two inputs that the request does not name.
8. Remove what was only there for looking.
9. Call \`submit_result\`.

Tests: where the project has tests, add one next to its kin that failed before the change. Leave existing tests as they are: do not delete, skip or loosen one, and write no code that detects a test. A test that contradicts the request stays, is reported, and is a reason for the outcome \`partial\`. A fix that could not be reproduced needs its full chain of causes in \`cause\`, and says so.

Scope: only what was asked. No reformatting, renaming, version, changelog, dependency, lockfile, CI or configuration change unless the request or the repository instructions need it. Generated files are made by their generator. Correct documentation that the change makes false. Faults you see on the way go into \`notes\`, unfixed; failures that were there before are named, not repaired.

When the same check fails three times after edits, stop editing, list your assumptions, test the weakest one and choose another approach. When that fails too, or there is no reproduction after a quarter of the steps, submit \`partial\` or \`not_fixed\` with what you learnt: that is a proper end.

${NO_QUESTIONS}`;
