import type { TreeChange } from './types.ts';

/** GitHub refuses a commit that touches these from a token without the `workflows` permission. */
export function splitWorkflows(changes: TreeChange[]): { workflows: TreeChange[]; others: TreeChange[] } {
  const isWorkflow = ({ path }: TreeChange): boolean => path.startsWith('.github/workflows/');
  return { workflows: changes.filter(isWorkflow), others: changes.filter((change) => !isWorkflow(change)) };
}
