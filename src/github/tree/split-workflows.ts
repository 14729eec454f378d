import type { TreeChange } from './types.ts';

const FOLDER = '.github/workflows';

/**
 * GitHub refuses a commit that touches these from a token without the `workflows` permission. A file or link in the place
 * of the folder, or of the one above, takes every workflow away: it counts as well.
 */
export function splitWorkflows(changes: TreeChange[]): { workflows: TreeChange[]; others: TreeChange[] } {
  const isWorkflow = ({ path }: TreeChange): boolean =>
    path.startsWith(`${FOLDER}/`) || `${FOLDER}/`.startsWith(`${path}/`);
  return { workflows: changes.filter(isWorkflow), others: changes.filter((change) => !isWorkflow(change)) };
}
