import { findComment } from '../changes/comments.ts';
import { react, type Reactable } from '../changes/reactions.ts';
import { findReviewComment } from '../changes/review-comments.ts';
import type { ReactionContent } from '../records.ts';
import { notFound, unprocessable } from '../refusal.ts';
import { issueOf } from './issues.ts';
import { page } from './paginate.ts';
import { created, noContent, ok, repositoryRoute, type RepositoryCall, type Route } from './route.ts';
import { reactionView } from '../views/issue.ts';
import { reactionContents } from '../views/reactions.ts';

export const reactionRoutes: Route[] = [
  ...routesFor('/issues/{issue_number}', 'issues|pull_requests', issueOf),
  ...routesFor(
    '/issues/comments/{comment_id}',
    'issues|pull_requests',
    (call) => findComment(call.repository, call.params.comment_id).comment,
  ),
  ...routesFor(
    '/pulls/comments/{comment_id}',
    'pull_requests',
    (call) => findReviewComment(call.repository, call.params.comment_id).comment,
  ),
];

function routesFor(path: string, permission: string, subjectOf: (call: RepositoryCall) => Reactable): Route[] {
  return [
    repositoryRoute(`GET ${path}/reactions`, { app: `${permission}:read` }, (call) => {
      const { content } = call.query;
      const wanted = subjectOf(call).reactions.filter((reaction) => !content || reaction.content === content);
      return page(call, wanted, (reaction) => reactionView(call.hub, reaction));
    }),
    repositoryRoute(`POST ${path}/reactions`, { app: `${permission}:write` }, (call) => {
      const content = call.body.content as ReactionContent;
      if (!reactionContents.includes(content)) throw unprocessable('Invalid request.\n\nInvalid property /content.');
      const { reaction, isNew } = react(call.hub, subjectOf(call), call.account, content);
      return (isNew ? created : ok)(reactionView(call.hub, reaction));
    }),
    repositoryRoute(`DELETE ${path}/reactions/{reaction_id}`, { app: `${permission}:write` }, (call) => {
      const subject = subjectOf(call);
      const reaction = subject.reactions.find(({ id }) => id === Number(call.params.reaction_id));
      if (!reaction || reaction.user !== call.account) throw notFound();
      subject.reactions = subject.reactions.filter((candidate) => candidate !== reaction);
      return noContent();
    }),
  ];
}
