import { actionRoutes } from './actions.ts';
import { appRoutes } from './app.ts';
import { manifestRoutes } from './app-manifests.ts';
import { branchRoutes } from './branches.ts';
import { checkRoutes } from './checks.ts';
import { commentRoutes } from './comments.ts';
import { commitRoutes } from './commits.ts';
import { contentRoutes } from './contents.ts';
import { deliveryRoutes } from './deliveries.ts';
import { gitDataRoutes } from './git-data.ts';
import { gitRefRoutes } from './git-refs.ts';
import { gitTreeRoutes } from './git-trees.ts';
import { issueRoutes } from './issues.ts';
import { pullDiffRoutes } from './pull-diff.ts';
import { pullRoutes } from './pulls.ts';
import { reactionRoutes } from './reactions.ts';
import { repositoryRoutes } from './repositories.ts';
import { reviewThreadRoutes } from './review-threads.ts';
import { reviewRoutes } from './reviews.ts';
import type { Route } from './route.ts';

/** Everything the demo GitHub answers over REST. */
export const routes: Route[] = [
  ...appRoutes,
  ...manifestRoutes,
  ...deliveryRoutes,
  ...repositoryRoutes,
  ...contentRoutes,
  ...branchRoutes,
  ...commitRoutes,
  ...gitDataRoutes,
  ...gitTreeRoutes,
  ...gitRefRoutes,
  ...issueRoutes,
  ...commentRoutes,
  ...reactionRoutes,
  ...pullRoutes,
  ...pullDiffRoutes,
  ...reviewRoutes,
  ...reviewThreadRoutes,
  ...checkRoutes,
  ...actionRoutes,
];
