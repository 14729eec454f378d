/** The model's argument text as a value: nothing is `{}`, and what is no JSON stays the text itself, unrepaired. */
export function parseToolArguments(raw: string): unknown {
  if (raw === '') return {};
  try {
    return JSON.parse(raw);
  } catch {
    return raw;
  }
}
