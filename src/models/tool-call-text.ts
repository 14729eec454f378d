/** The markup models were trained to write calls in, as it looks when the server failed to parse it. */
const CALL_MARKUP = [
  // DeepSeek, with its full-width bars and word marks or their ASCII look-alikes
  /<\/?\s*[|｜]{1,2}\s*(DSML|(tool|function)[▁_ ]?(calls?|sep|outputs?|use))/iu,
  // tags of other families: <tool_call>, <function_calls>, <tool_use>, <function=name>, <invoke name="…">
  /<\/?([\w-]+:)?(tool_calls?|function_calls?|tool_use|toolcall)\b[^<>]*>/i,
  /<([\w-]+:)?invoke\s+name\s*=/i,
  /<function=[\w.-]+>/i,
  /\[TOOL_CALLS?\]/,
  /<\|(python_tag|action_start|tool_calls?_section_begin|tool_call_begin)\|>/i,
  /<\|channel\|>\s*\w+\s+to=functions\./i,
  /✿FUNCTION✿/u,
];

/** Whether a reply holds a tool call as text: call markup outside code, or JSON that names a known tool and nothing else. */
export function holdsToolCallText(text: string, toolNames: readonly string[]): boolean {
  const prose = withoutCode(text);
  return CALL_MARKUP.some((markup) => markup.test(prose)) || isJsonCall(text, toolNames);
}

/** Drops fenced blocks (an unclosed one runs to the end) and code spans. */
function withoutCode(text: string): string {
  return text
    .replace(/^ {0,3}(`{3,}|~{3,})[^\n]*\n[\s\S]*?(^ {0,3}\1[`~]*[ \t]*$|(?![\s\S]))/gm, '')
    .replace(/(?<!`)(`+)(?!`)([\s\S]*?[^`])\1(?!`)/g, '');
}

function isJsonCall(text: string, toolNames: readonly string[]): boolean {
  const trimmed = text.trim();
  if (!/^[[{]/.test(trimmed)) return false;
  try {
    return namesTool(JSON.parse(trimmed), new Set(toolNames));
  } catch {
    return false; // not JSON after all
  }
}

function namesTool(value: unknown, toolNames: ReadonlySet<string>): boolean {
  if (Array.isArray(value)) return value.length > 0 && value.every((item) => namesTool(item, toolNames));
  if (typeof value !== 'object' || value === null) return false;
  const { name, tool, tool_name, function: call, tool_calls } = value as Record<string, unknown>;
  if (tool_calls !== undefined) return namesTool(tool_calls, toolNames);
  if (typeof call === 'object') return namesTool(call, toolNames);
  return [name, tool, tool_name, call].some((named) => typeof named === 'string' && toolNames.has(named));
}
