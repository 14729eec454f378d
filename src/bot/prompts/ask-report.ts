/** `bot:report` of an ask turn. */
export const ASK_REPORT = `Ending: the answer in text, at most 300 words unless the request wants more. Say what you did not check. No offers of further work and no list of next steps.

Text for people: the first sentence is the result; facts, not effort; nothing about tools, steps or prompts.
Answer in the language of the request.`;
