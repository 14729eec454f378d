/** What a text begins with that promises instead of telling, in English and Chinese. */
const OPENINGS =
  /^(?:ok(?:ay)?|sure|great|good|alright|now|next|first|so)?[\s,.!:—-]*(?:let me|let's|let us|i'll|i will|i am going to|i'm going to|i need to|now i|next i|going to)\b|^(?:好的?|现在|接下来|首先|那么)?[，,。：:\s]*(?:让我|我来|我将|我会|我要|我先|我需要)/i;
/** What such a text ends with. */
const ENDINGS = /(?:[:：]|…|\.\.\.)\s*$/;

const MAX_CHARS = 400;

/** A path, code or a place in it: then the text tells something. */
const TELLS = /`|\w\/\w|\w\.[a-z]{1,5}\b|:\d+\b/i;

/** Whether a closing text only announces what comes next, and names nothing found (PR36). Pure. */
export function onlyAnnounces(text: string): boolean {
  const said = text.trim();
  if (said.length >= MAX_CHARS || TELLS.test(said)) return false;
  return OPENINGS.test(said) || ENDINGS.test(said);
}
