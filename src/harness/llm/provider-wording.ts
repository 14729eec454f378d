const CONTEXT_WINDOW = [
  /maximum context length/i,
  /context[_ -]?(length|window|size|limit)[_ -]?(is |was |has been )?(exceed|overflow|limit)/i,
  /exceed\w*\s+(the\s+|this\s+)?(model'?s?\s+)?(maximum\s+|max\s+|available\s+)?context/i,
  /(prompt|input|request) (is|are) too (long|large) for/i,
  /prompt is too long/i,
  /(input|prompt) (length|tokens?).{0,60}exceed/i,
  /reduce the length of the (messages|prompt|input)/i,
];

const QUOTA = [
  /insufficient[_ -]?(quota|balance|credits?|funds)/i,
  /exceeded your current quota/i,
  /(quota|spending|billing)[_ -]?(hard[_ -]?)?(limit)?[_ -]?(has been |was |is )?(exceeded|exhausted|reached)/i,
  /(out of|not enough|no remaining) (credits?|balance|quota)/i,
  /credit balance is too low/i,
  /payment required/i,
  /余额不足/,
];

/** Whether a provider's error text says that prompt and completion do not fit the model. */
export function isContextWindowExceededError(text: string): boolean {
  return CONTEXT_WINDOW.some((wording) => wording.test(text));
}

/** Whether a provider's error text says that the account has no money or quota left, as opposed to being asked too fast. */
export function isQuotaExceededError(text: string): boolean {
  return QUOTA.some((wording) => wording.test(text));
}
