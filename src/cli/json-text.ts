/** JSON leaves DEL and C1 control characters as they are; `##[` begins a command of an Actions runner. */
const OBEYED = /[\u007f-\u009f]|(?<=#)#(?=\[)/g;

/** JSON that nothing obeys, be it printed in a terminal or a workflow; what it stands for is unchanged. Pure. */
export function jsonText(value: unknown, space?: number): string {
  return JSON.stringify(value, null, space).replaceAll(OBEYED, escaped);
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
