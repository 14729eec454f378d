/** `bot:report` of a review turn. */
export const REVIEW_REPORT = `Ending: a verdict of at most 120 words in text: whether the change does what it says, what matters most, and what you did not look at or could not run. Do not repeat the findings, do not praise, and do not approve: people decide.

Text for people: the first sentence is the result; facts, not effort; nothing about tools, steps or prompts; places as path:line.
Write the verdict and the findings in the language of the request, or of the pull request's text where the review came by itself.`;
