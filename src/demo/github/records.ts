/** What the demo GitHub remembers. Files, commits and refs are not here: they live in the bare repositories on disk. */

export type Role = 'read' | 'triage' | 'write' | 'maintain' | 'admin';
export type Level = 'read' | 'write';
export type Permissions = Record<string, Level>;
export type Association = 'OWNER' | 'MEMBER' | 'COLLABORATOR' | 'CONTRIBUTOR' | 'FIRST_TIME_CONTRIBUTOR' | 'NONE';
export type ReactionContent = '+1' | '-1' | 'laugh' | 'confused' | 'heart' | 'hooray' | 'rocket' | 'eyes';
export type Side = 'LEFT' | 'RIGHT';

export interface Account {
  id: number;
  login: string;
  type: 'User' | 'Bot' | 'Organization';
  name: string | null;
  createdAt: Date;
}

export interface App {
  id: number;
  slug: string;
  name: string;
  bot: Account;
  owner: Account;
  permissions: Permissions;
  events: string[];
  createdAt: Date;
}

export interface Installation {
  id: number;
  account: Account;
  permissions: Permissions;
  createdAt: Date;
  suspendedAt: Date | null;
}

/** Who stands behind an `Authorization` header. */
export type Actor =
  | { kind: 'anonymous' }
  | { kind: 'person'; account: Account }
  | { kind: 'app-jwt'; app: App }
  | { kind: 'app'; app: App; account: Account; permissions: Permissions; repositoryIds?: Set<number>; ownerId: number };

export interface Token {
  value: string;
  actor: Actor;
  issuedAt: Date;
  expires: boolean;
}

export interface Label {
  id: number;
  name: string;
  color: string;
  description: string | null;
}

export interface Reaction {
  id: number;
  content: ReactionContent;
  user: Account;
  createdAt: Date;
}

export interface Comment {
  id: number;
  body: string;
  author: Account;
  app: App | null;
  createdAt: Date;
  updatedAt: Date;
  /** Who edited it, oldest first. */
  editors: Account[];
  reactions: Reaction[];
}

export interface Issue {
  id: number;
  number: number;
  title: string;
  body: string | null;
  author: Account;
  app: App | null;
  state: 'open' | 'closed';
  stateReason: 'completed' | 'not_planned' | 'reopened' | null;
  labels: Label[];
  assignees: Account[];
  createdAt: Date;
  updatedAt: Date;
  closedAt: Date | null;
  closedBy: Account | null;
  comments: Comment[];
  reactions: Reaction[];
  pull: Pull | null;
}

export interface Pull {
  id: number;
  head: { repository: Repository | null; ref: string; sha: string };
  base: { ref: string; sha: string };
  draft: boolean;
  merged: { at: Date; by: Account; sha: string } | null;
  maintainerCanModify: boolean;
  requestedReviewers: Account[];
  reviews: Review[];
  threads: Thread[];
}

export interface Review {
  id: number;
  author: Account;
  body: string;
  state: 'PENDING' | 'COMMENTED' | 'APPROVED' | 'CHANGES_REQUESTED' | 'DISMISSED';
  commitId: string;
  submittedAt: Date | null;
  reactions: Reaction[];
}

/** A review thread: its first comment places it in `commitId`, replies follow. */
export interface Thread {
  nodeId: string;
  path: string;
  side: Side;
  line: number;
  startSide: Side | null;
  startLine: number | null;
  position: number;
  commitId: string;
  hunk: string;
  /** Where that place stands in the head as it is now; null once outdated. */
  current: { line: number; startLine: number | null } | null;
  resolvedBy: Account | null;
  comments: ReviewComment[];
}

export interface ReviewComment extends Comment {
  reviewId: number;
  inReplyTo: number | null;
}

export interface CheckSuite {
  id: number;
  app: App;
  headSha: string;
  headBranch: string | null;
  createdAt: Date;
  updatedAt: Date;
}

export interface CheckRun {
  id: number;
  suite: CheckSuite;
  name: string;
  status: 'queued' | 'in_progress' | 'completed';
  conclusion: string | null;
  externalId: string;
  detailsUrl: string | null;
  startedAt: Date;
  completedAt: Date | null;
  output: { title: string | null; summary: string | null; text: string | null };
  annotations: Record<string, unknown>[];
}

export interface WorkflowJob {
  id: number;
  name: string;
  conclusion: string;
  log: string;
  checkRunId: number;
}

export interface WorkflowRun {
  id: number;
  name: string;
  path: string;
  event: string;
  headBranch: string;
  headSha: string;
  conclusion: string;
  runNumber: number;
  suite: CheckSuite;
  actor: Account;
  createdAt: Date;
  jobs: WorkflowJob[];
}

export interface Artifact {
  id: number;
  name: string;
  zip: Buffer;
  runId: number | null;
  /** Of the branch that the run was for: a fork's, where it came from one. */
  headRepositoryId?: number;
  createdAt: Date;
}

/** A job of a workflow, as its runner sees it. */
export interface Runtime {
  repository: Repository;
  runId: number;
  headRepositoryId: number;
  job: string;
}

export interface Repository {
  id: number;
  name: string;
  owner: Account;
  gitDir: string;
  private: boolean;
  archived: boolean;
  disabled: boolean;
  fork: boolean;
  parent: Repository | null;
  defaultBranch: string;
  description: string | null;
  sizeKb: number;
  formerNames: string[];
  roles: Map<string, { role: Role; roleName: string }>;
  associations: Map<string, Association>;
  labels: Label[];
  nextNumber: number;
  issues: Map<number, Issue>;
  /** Commits GitHub signed: made through the API with an app's token and no author of their own. */
  verified: Set<string>;
  protectedBranches: Set<string>;
  checkSuites: CheckSuite[];
  checkRuns: CheckRun[];
  workflowRuns: WorkflowRun[];
  artifacts: Artifact[];
  createdAt: Date;
  updatedAt: Date;
  pushedAt: Date;
}
