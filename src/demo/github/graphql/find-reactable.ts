import { issuesOf, type Hub } from '../hub.ts';
import type { Issue, Reaction, Repository } from '../records.ts';

type Reactable = { reactions: Reaction[] };

/** What a GraphQL node id names that takes reactions. */
export function findReactable(hub: Hub, nodeId: string): { repository: Repository; subject: Reactable } | undefined {
  for (const repository of hub.repositories) {
    for (const issue of issuesOf(repository)) {
      const subject = reactablesOf(issue).get(nodeId);
      if (subject) return { repository, subject };
    }
  }
  return undefined;
}

function reactablesOf(issue: Issue): Map<string, Reactable> {
  const reviewed = issue.pull?.threads.flatMap(({ comments }) => comments) ?? [];
  return new Map<string, Reactable>([
    [`${issue.pull ? 'PR' : 'I'}_${issue.id}`, issue],
    ...issue.comments.map((comment): [string, Reactable] => [`IC_${comment.id}`, comment]),
    ...(issue.pull?.reviews ?? []).map((review): [string, Reactable] => [`PRR_${review.id}`, review]),
    ...reviewed.map((comment): [string, Reactable] => [`PRRC_${comment.id}`, comment]),
  ]);
}
