import { z } from 'zod';

/** Fields of webhook payloads that we use; everything that may be null in real payloads is (T11). */
const GHOST = { id: 10137, login: 'ghost', type: 'User' };

export const User = z
  .object({ id: z.number(), login: z.string(), type: z.string().default('User') })
  .nullish()
  .transform((user) => user ?? GHOST);

export const Repository = z.object({
  id: z.number(),
  name: z.string(),
  full_name: z.string(),
  private: z.boolean().default(false),
  default_branch: z.string().default('main'),
  owner: z.object({ login: z.string() }),
});

const App = z.object({ id: z.number() }).nullish();

const Issue = z.object({
  id: z.number(),
  number: z.number(),
  title: z.string().default(''),
  body: z.string().nullish(),
  state: z.string().default('open'),
  user: User,
  author_association: z.string().default('NONE'),
  html_url: z.string().default(''),
  pull_request: z.unknown().optional(),
  performed_via_github_app: App,
});

const Label = z.object({ name: z.string() }).nullish();

const Time = z.string().nullish();

const Comment = z.object({
  id: z.number(),
  body: z.string().nullish(),
  user: User,
  author_association: z.string().default('NONE'),
  html_url: z.string().default(''),
  created_at: Time,
  updated_at: Time,
  performed_via_github_app: App,
});

/** A comment on lines of a diff; `line` is null once the lines are outdated. */
const ReviewComment = Comment.extend({
  path: z.string(),
  side: z.string().nullish(),
  line: z.number().nullish(),
  start_line: z.number().nullish(),
  diff_hunk: z.string().default(''),
  in_reply_to_id: z.number().nullish(),
});

const Review = Comment.extend({ state: z.string().default(''), submitted_at: Time });

const Branch = z.object({
  ref: z.string(),
  sha: z.string(),
  repo: z.object({ id: z.number(), full_name: z.string() }).nullish(),
});

const PullRequest = z.object({
  id: z.number(),
  number: z.number(),
  title: z.string().default(''),
  body: z.string().nullish(),
  state: z.string().default('open'),
  merged: z.boolean().nullish(),
  draft: z.boolean().nullish(),
  user: User,
  author_association: z.string().default('NONE'),
  html_url: z.string().default(''),
  head: Branch,
  base: Branch,
});

const Changes = z
  .object({
    body: z.object({ from: z.string().nullish() }).optional(),
    /** Of an issue that was moved here from another repository. */
    old_issue: z.unknown().optional(),
  })
  .optional();
const common = {
  action: z.string().default(''),
  sender: User,
  repository: Repository,
  installation: z.object({ id: z.number() }).nullish(),
};

/** Pull requests of the same repository that a check belongs to. */
const CheckedPulls = z
  .array(z.object({ number: z.number(), head: z.object({ ref: z.string().default(''), sha: z.string().default('') }) }))
  .default([]);

const CheckSuite = z.object({
  id: z.number(),
  head_sha: z.string(),
  head_branch: z.string().nullish(),
  conclusion: z.string().nullish(),
  url: z.string().default(''),
  app: z.object({ id: z.number(), slug: z.string().nullish(), name: z.string().default('') }).nullish(),
  pull_requests: CheckedPulls,
});

const WorkflowRun = z.object({
  id: z.number(),
  name: z.string().nullish(),
  head_sha: z.string(),
  head_branch: z.string().nullish(),
  conclusion: z.string().nullish(),
  html_url: z.string().default(''),
  pull_requests: CheckedPulls,
});

/** One schema per event we act on; other events read as nothing. */
export const PAYLOADS = {
  issue_comment: z.object({ ...common, issue: Issue, comment: Comment, changes: Changes }),
  issues: z.object({ ...common, issue: Issue, changes: Changes, label: Label, assignee: User.optional() }),
  pull_request_review: z.object({ ...common, pull_request: PullRequest, review: Review, changes: Changes }),
  pull_request_review_comment: z.object({
    ...common,
    pull_request: PullRequest,
    comment: ReviewComment,
    changes: Changes,
  }),
  pull_request: z.object({
    ...common,
    pull_request: PullRequest,
    before: z.string().optional(),
    requested_reviewer: User.optional(),
    label: Label,
    assignee: User.optional(),
    changes: Changes,
  }),
  check_suite: z.object({ ...common, check_suite: CheckSuite }),
  workflow_run: z.object({ ...common, workflow_run: WorkflowRun }),
} as const;

export type PayloadName = keyof typeof PAYLOADS;
export type Payload<N extends PayloadName> = z.infer<(typeof PAYLOADS)[N]>;
