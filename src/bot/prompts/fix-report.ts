/** `bot:report` of a fix turn. */
export const FIX_REPORT = `Ending: call \`submit_result\` alone in its message. \`outcome\` is \`fixed\` when the request is met and shown to be met, \`partial\` when a part is, \`not_fixed\` when it is not, \`nothing_to_do\` when the tree needs no change. \`title\` (at most 72 characters) is the pull request's title in the habit of the repository's commits. \`summary\` (at most 200 words) says what changes for whom and why. \`cause\` names the cause with path:line. \`verification\` lists the commands you ran and what came out. \`notes\` holds at most five risks, choices or leftovers.

Text for people: the first sentence is the result; facts, not effort; say plainly what failed or was skipped; no "should now work"; nothing about tools, steps or prompts; places as path:line.
Write the summary, cause and notes in the language of the request; code, comments and title in the language the repository uses.`;
