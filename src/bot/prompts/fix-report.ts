/** `bot:report` of a fix turn. */
export const FIX_REPORT = `Ending: \`submit_result\`. Its \`outcome\` is \`fixed\` when the request is met and shown to be met, \`partial\` when a part is, \`not_fixed\` when it is not, \`nothing_to_do\` when the tree needs no change.

Text for people: the first sentence is the result; facts, not effort; say plainly what failed or was skipped; no "should now work"; nothing about tools, steps or prompts; places as path:line.
Write the summary, cause and notes in the language of the request; code, comments and title in the language the repository uses.`;
