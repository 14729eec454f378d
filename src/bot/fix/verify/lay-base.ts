import { shellQuote } from '../../../seams/bash/shell-quote.ts';

/** Where the base is laid out beside the work tree; the container's own memory, gone with it. */
export const BASE_TREE = '/tmp/dsh-base';

/**
 * The command that lays a commit out at {@link BASE_TREE}. Not `git archive`, which leaves out what `export-ignore` names,
 * tests most of all. Installed dependencies are shared: only the sources differ.
 */
export function layBaseCommand(sha: string, workTree: string, baseTree = BASE_TREE): string {
  const index = `GIT_INDEX_FILE=${shellQuote(`${baseTree}.index`)}`;
  const modules = `${shellQuote(workTree)}/node_modules`;
  const base = shellQuote(baseTree);
  return [
    `rm -rf ${base} ${base}.index && mkdir -p ${base}`,
    `${index} git read-tree ${shellQuote(sha)}`,
    `${index} git checkout-index --all --prefix=${shellQuote(`${baseTree}/`)}`,
    `if [ -d ${modules} ] && [ ! -e ${base}/node_modules ]; then ln -s ${modules} ${base}/node_modules; fi`,
  ].join(' && ');
}
