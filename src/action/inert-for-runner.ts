/**
 * Makes lines harmless that the runner would take for a workflow command: `::name::` at the start of a line, after any
 * blanks, and `##[name]` anywhere in it.
 * https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-commands
 */
export function inertForRunner(text: string): string {
  return text.replaceAll(/^(?=[^\S\n]*::)/gm, '| ').replaceAll('##[', '# #[');
}
