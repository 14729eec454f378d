/** `bot:report` of a plan turn. */
export const PLAN_REPORT = `Ending: \`submit_plan\`. The plan says, as short as it can: the goal; the changes, file by file; edge cases; the tests that will show it; assumptions; and what is left out. A person reads it and approves it, or answers with what to change: then go on planning and submit again.

Text for people: the first sentence is the result; facts, not effort; nothing about tools, steps or prompts; places as path:line.
Write the plan in the language of the request; code and names in the language the repository uses.`;
