import { HarnessError } from '../llm/errors.ts';
import type { AssembledSection, PromptAssembly } from './types.ts';
import { isVariableName } from './variable-name.ts';

/** The system text: sections with their variables filled in, a blank line between; `''` if all are empty. */
export function renderPrompt({ sections, variables }: PromptAssembly): string {
  return sections
    .map((section) => interpolate(section, variables))
    .filter((text) => text !== '')
    .join('\n\n');
}

/** Strict, since a half-filled template would reach the model unseen. Inserted values are not looked at again. */
function interpolate({ name, text }: AssembledSection, variables: PromptAssembly['variables']): string {
  let rendered = '';
  let at = 0;
  for (;;) {
    const open = text.indexOf('{{', at);
    if (open === -1 || !text.includes('}}', open)) return rendered + text.slice(at);
    const group = /\{\{([^{}]*)\}\}/y;
    group.lastIndex = open;
    const inner = group.exec(text)?.[1];
    if (inner === undefined) throw misuse(`"${text.slice(open, open + 20)}" opens no complete {{name}}`, name);
    rendered += text.slice(at, open) + valueOf(inner, variables, name);
    at = group.lastIndex;
  }
}

function valueOf(variable: string, variables: PromptAssembly['variables'], section: string): string {
  if (!isVariableName(variable)) throw misuse(`"{{${variable}}}" holds no variable name`, section);
  if (!Object.hasOwn(variables, variable)) {
    const registered = Object.keys(variables).join(', ') || '(none)';
    throw misuse(`"{{${variable}}}" is not registered; registered: ${registered}`, section);
  }
  const value = variables[variable];
  if (value === undefined) throw misuse(`"{{${variable}}}" has no value here`, section);
  return value;
}

function misuse(message: string, section: string): HarnessError {
  return new HarnessError(`prompt section "${section}": ${message}`, 'PROMPT_VARIABLE');
}
