import { createComment, deleteComment, findComment, updateComment } from './changes/comments.ts';
import { findPull } from './changes/find-pull.ts';
import { assign, createIssue, findIssue, updateIssue, type IssueChanges, type IssueFields } from './changes/issues.ts';
import { addLabels, removeLabel } from './changes/labels.ts';
import { commentOnLine, editReviewComment, replyTo } from './changes/line-comments.ts';
import { createPull, requestReview, setDraft, type PullFields } from './changes/pulls.ts';
import { react } from './changes/reactions.ts';
import { afterRefUpdate, zeroSha } from './changes/ref-updates.ts';
import type { FoundComment, NewReviewComment } from './changes/review-comments.ts';
import { createReview, type ReviewFields } from './changes/reviews.ts';
import { importCommit, type FileChange } from './git/import-commit.ts';
import { readRef } from './git/refs.ts';
import type { Hub } from './hub.ts';
import { identityOf, webFlow } from './identity.ts';
import type { Comment, Issue, ReactionContent, Repository, Review } from './records.ts';

/** `owner/name`, or the repository itself. */
export type RepositoryName = string | Repository;

export interface By {
  /** Login of whoever does it; nobody's permission is asked here. */
  by: string;
}

export interface PushFields extends By {
  branch: string;
  files: Record<string, FileChange>;
  message?: string;
  /** Where a new branch starts, or a rewritten one starts anew: branch or sha. Default: the branch itself, else the default branch. */
  from?: string;
}

/** What people do on GitHub, each with the same events as when the API does it. */
export function peopleOf(hub: Hub, find: (name: RepositoryName) => Repository) {
  return {
    async openIssue(name: RepositoryName, { by, ...fields }: By & IssueFields): Promise<Issue> {
      return createIssue(hub, find(name), hub.account(by), null, fields);
    },
    /** Edits, closes or reopens an issue or pull request. */
    async editIssue(name: RepositoryName, number: number, { by, ...changes }: By & IssueChanges): Promise<Issue> {
      const issue = findIssue(find(name), number);
      await updateIssue(hub, find(name), issue, hub.account(by), changes);
      return issue;
    },
    async label(name: RepositoryName, number: number, { by, labels }: By & { labels: string[] }): Promise<void> {
      await addLabels(hub, find(name), findIssue(find(name), number), hub.account(by), labels);
    },
    async unlabel(name: RepositoryName, number: number, { by, label }: By & { label: string }): Promise<void> {
      await removeLabel(hub, find(name), findIssue(find(name), number), hub.account(by), label);
    },
    async assign(name: RepositoryName, number: number, { by, assignees }: By & { assignees: string[] }): Promise<void> {
      await assign(hub, find(name), findIssue(find(name), number), hub.account(by), assignees);
    },
    async comment(name: RepositoryName, number: number, { by, body }: By & { body: string }): Promise<Comment> {
      return createComment(hub, find(name), findIssue(find(name), number), hub.account(by), null, body);
    },
    async editComment(name: RepositoryName, id: number, { by, body }: By & { body: string }): Promise<Comment> {
      return updateComment(hub, find(name), id, hub.account(by), body);
    },
    async deleteComment(name: RepositoryName, id: number, { by }: By): Promise<void> {
      deleteComment(hub, find(name), id, hub.account(by));
    },
    /** Reacts to an issue or pull request, or with `comment` to one of its comments. */
    async react(
      name: RepositoryName,
      on: { issue: number } | { comment: number },
      { by, content }: By & { content: ReactionContent },
    ): Promise<void> {
      const subject = 'issue' in on ? findIssue(find(name), on.issue) : findComment(find(name), on.comment).comment;
      react(hub, subject, hub.account(by), content);
    },
    async openPull(name: RepositoryName, { by, ...fields }: By & PullFields): Promise<Issue> {
      return createPull(hub, find(name), hub.account(by), null, fields);
    },
    async setDraft(name: RepositoryName, number: number, { by, draft }: By & { draft: boolean }): Promise<void> {
      await setDraft(hub, find(name), findPull(find(name), number).issue, hub.account(by), draft);
    },
    async requestReview(
      name: RepositoryName,
      number: number,
      { by, reviewers }: By & { reviewers: string[] },
    ): Promise<void> {
      await requestReview(hub, find(name), findPull(find(name), number).issue, hub.account(by), reviewers);
    },
    async review(name: RepositoryName, number: number, { by, ...fields }: By & ReviewFields): Promise<Review> {
      return createReview(hub, find(name), findPull(find(name), number).issue, hub.account(by), fields);
    },
    async commentOnLine(
      name: RepositoryName,
      number: number,
      { by, ...wish }: By & NewReviewComment,
    ): Promise<FoundComment> {
      const { issue, pull } = findPull(find(name), number);
      return commentOnLine(hub, find(name), issue, hub.account(by), pull.head.sha, wish);
    },
    async replyInThread(
      name: RepositoryName,
      commentId: number,
      { by, body }: By & { body: string },
    ): Promise<FoundComment> {
      return replyTo(hub, find(name), commentId, hub.account(by), body);
    },
    async editReviewComment(
      name: RepositoryName,
      id: number,
      { by, body }: By & { body: string },
    ): Promise<FoundComment> {
      return editReviewComment(hub, find(name), id, hub.account(by), body);
    },
    /** Merges with a merge commit by GitHub, as the button does; gives its sha. */
    async mergePull(name: RepositoryName, number: number, { by }: By): Promise<string> {
      const repository = find(name);
      const { pull } = findPull(repository, number);
      const git = hub.git(repository);
      const ref = `refs/heads/${pull.base.ref}`;
      const before = (await readRef(git, ref))!;
      const tree = await git.text(['merge-tree', '--write-tree', before, pull.head.sha]);
      const env = signature(hub, by);
      const after = await git.text(
        ['commit-tree', tree, '-p', before, '-p', pull.head.sha, '-m', `Merge pull request #${number}`],
        { env },
      );
      await git.run(['update-ref', ref, after, before]);
      await afterRefUpdate(hub, repository, { ref, before, after }, hub.account(by));
      return after;
    },
    /** Commits `files` on a branch and pushes; gives the new sha. A branch restarted by `from` is a force-push. */
    async push(
      name: RepositoryName,
      { by, branch, files, message = 'Change files', from }: PushFields,
    ): Promise<string> {
      const repository = find(name);
      const git = hub.git(repository);
      const ref = `refs/heads/${branch}`;
      const before = await readRef(git, ref);
      const parent =
        from === undefined
          ? (before ?? (await readRef(git, `refs/heads/${repository.defaultBranch}`)))
          : await start(hub, repository, from);
      const commit = {
        branch,
        ...(parent && { parent }),
        message,
        files,
        ...identityOf(hub, hub.account(by)),
        date: hub.now(),
      };
      const after = await importCommit(git, commit);
      await afterRefUpdate(hub, repository, { ref, before: before ?? zeroSha, after }, hub.account(by));
      return after;
    },
    async deleteBranch(name: RepositoryName, branch: string, { by }: By): Promise<void> {
      const repository = find(name);
      const ref = `refs/heads/${branch}`;
      const before = (await readRef(hub.git(repository), ref))!;
      await hub.git(repository).run(['update-ref', '-d', ref, before]);
      await afterRefUpdate(hub, repository, { ref, before, after: zeroSha }, hub.account(by));
    },
  };
}

async function start(hub: Hub, repository: Repository, from: string): Promise<string> {
  const git = hub.git(repository);
  const sha = (await readRef(git, `refs/heads/${from}`)) ?? (await readRef(git, `${from}^{commit}`));
  if (!sha) throw new Error(`${repository.name} has no ${from} to start from`);
  return sha;
}

function signature(hub: Hub, by: string): Record<string, string> {
  const author = identityOf(hub, hub.account(by));
  const date = `${Math.floor(hub.now().getTime() / 1000)} +0000`;
  return {
    GIT_AUTHOR_NAME: author.name,
    GIT_AUTHOR_EMAIL: author.email,
    GIT_AUTHOR_DATE: date,
    GIT_COMMITTER_NAME: webFlow.name,
    GIT_COMMITTER_EMAIL: webFlow.email,
    GIT_COMMITTER_DATE: date,
  };
}
