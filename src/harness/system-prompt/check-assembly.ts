import { HarnessError } from '../llm/errors.ts';
import type { PromptAssembly } from './types.ts';
import { isVariableName } from './variable-name.ts';

/** Throws `INVALID_ASSEMBLY` for what a listener may have got wrong; its order is its own business. */
export function checkAssembly({ sections, tools, variables }: PromptAssembly): void {
  const names = new Set<string>();
  for (const { name, text } of sections) {
    if (typeof name !== 'string' || name === '') throw invalid('a section has no name');
    if (names.has(name)) throw invalid(`two sections are called "${name}"`);
    if (typeof text !== 'string') throw invalid(`the text of section "${name}" is not a string`);
    names.add(name);
  }
  if (tools.some(({ name }) => typeof name !== 'string' || name === '')) throw invalid('a tool has no name');
  for (const [name, value] of Object.entries(variables)) {
    if (!isVariableName(name)) throw invalid(`"${name}" is no variable name`);
    if (value !== undefined && typeof value !== 'string') throw invalid(`variable "${name}" is not a string`);
  }
}

function invalid(message: string): HarnessError {
  return new HarnessError(message, 'INVALID_ASSEMBLY');
}
