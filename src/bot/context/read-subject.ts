import type { GitHub } from '../../github/client.ts';
import type { RepoRef, Repository } from '../../github/repository.ts';
import { repositoryUnavailable } from '../../github/errors.ts';
import { fullName, readRepository } from '../../github/repository.ts';
import { readThread } from '../../github/threads.ts';
import { withoutLedger } from '../../publish/review/ledger.ts';
import type { Thread, ThreadComment } from '../../github/threads.ts';
import type { SubjectRef } from '../../triggers/reading.ts';
import type { RepositoryAccess } from '../job/job.ts';

export interface PullFacts {
  readonly headSha: string;
  readonly headRef: string;
  readonly baseRef: string;
  /** The head branch is in this repository, so commits can go there. */
  readonly sameRepository: boolean;
  readonly open: boolean;
  /** Where the head branch is; undefined once that repository is gone. */
  readonly headRepo: RepoRef | undefined;
}
/** The issue or pull request a job is about, as it is now. */
export interface Subject extends SubjectRef {
  readonly repository: Repository;
  readonly thread: Thread;
  readonly pull: PullFacts | undefined;
}

/** Throws `REPOSITORY_UNAVAILABLE` for an archived repository too: nothing that a job brings could be written there. */
export async function readSubject(
  { github, repo, ownLogin }: Pick<RepositoryAccess, 'github' | 'repo' | 'ownLogin'>,
  ref: SubjectRef,
  signal: AbortSignal,
): Promise<Subject> {
  const [repository, thread, pull] = await Promise.all([
    readRepository(github, repo, signal),
    readThread(github, repo, ref.number, signal),
    ref.kind === 'pull' ? readPull(github, repo, ref.number, signal) : undefined,
  ]);
  if (repository.archived) throw repositoryUnavailable(fullName(repository), 'is archived and takes no writes');
  return { ...ref, repository, thread: withoutOwnTelling(thread, ownLogin), pull };
}

/** Our progress comments and short replies tell people how jobs went: to the model they are noise, and change all the time. */
function withoutOwnTelling(thread: Thread, ownLogin: string): Thread {
  const isTelling = ({ author, body }: ThreadComment) =>
    author.login === ownLogin && /<!-- dsh:(job|reply|refusal) /.test(body);
  const comments = thread.comments.filter((comment) => !isTelling(comment));
  return {
    ...thread,
    comments: comments.map((comment) =>
      comment.author.login === ownLogin ? { ...comment, body: withoutLedger(comment.body) } : comment,
    ),
  };
}

async function readPull(github: GitHub, repo: RepoRef, number: number, signal: AbortSignal): Promise<PullFacts> {
  const { data } = await github.rest.pulls.get({ ...repo, pull_number: number, request: { signal } });
  return {
    headSha: data.head.sha,
    headRef: data.head.ref,
    baseRef: data.base.ref,
    sameRepository: (data.head.repo as { id: number } | null)?.id === data.base.repo.id,
    open: data.state === 'open',
    headRepo: headRepoOf(data.head.repo),
  };
}

function headRepoOf(repo: { owner: { login: string }; name: string } | null): RepoRef | undefined {
  return repo ? { owner: repo.owner.login, repo: repo.name } : undefined;
}
