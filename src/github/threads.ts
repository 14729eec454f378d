import type { GitHub } from './client.ts';
import { readLinkedItems, type LinkedItem } from './linked-items.ts';
import type { RepoRef } from './repository.ts';

export interface Author {
  login: string;
  isBot: boolean;
  /** GitHub's `author_association`, for display: it never grants anything. */
  association: string;
}

interface Said {
  id: number;
  author: Author;
  createdAt: string;
  body: string;
  url: string;
}

export type ThreadComment =
  | ({ place: 'issue' } & Said)
  | ({ place: 'review'; state: string } & Said)
  | ({ place: 'review-comment'; path: string; line?: number; side: string; diffHunk: string; replyTo?: number } & Said);

export interface Thread extends RepoRef {
  kind: 'issue' | 'pull';
  number: number;
  title: string;
  body: string;
  author: Author;
  createdAt: string;
  url: string;
  state: string;
  labels: string[];
  /** All that was said below, oldest first. */
  comments: ThreadComment[];
  linked: LinkedItem[];
}

/** Reads an issue or pull request with everything said on it. Deleted people become `ghost`, null bodies empty. */
export async function readThread(github: GitHub, ref: RepoRef, number: number, signal?: AbortSignal): Promise<Thread> {
  const issue = { ...ref, issue_number: number, request: { signal } };
  const { data } = await github.rest.issues.get(issue);
  const [said, reviewed] = await Promise.all([
    github.paginate(github.rest.issues.listComments, { ...issue, per_page: 100 }),
    data.pull_request ? readReviews(github, ref, number, signal) : [],
  ]);
  const comments = [...said.map((comment) => ({ place: 'issue' as const, ...readSaid(comment) })), ...reviewed];
  comments.sort((a, b) => a.createdAt.localeCompare(b.createdAt) || a.id - b.id);

  const body = data.body ?? '';
  const texts = [body, ...comments.map((comment) => comment.body)];
  return {
    ...ref,
    kind: data.pull_request ? 'pull' : 'issue',
    number,
    title: data.title,
    body,
    author: readAuthor(data),
    createdAt: data.created_at,
    url: data.html_url,
    state: data.state,
    labels: data.labels.map((label) => (typeof label === 'string' ? label : (label.name ?? ''))),
    comments,
    linked: await readLinkedItems(github, { ...ref, number }, texts, signal),
  };
}

async function readReviews(
  github: GitHub,
  ref: RepoRef,
  pull_number: number,
  signal?: AbortSignal,
): Promise<ThreadComment[]> {
  const pages = { ...ref, pull_number, per_page: 100, request: { signal } };
  const [reviews, inline] = await Promise.all([
    github.paginate(github.rest.pulls.listReviews, pages),
    github.paginate(github.rest.pulls.listReviewComments, pages),
  ]);
  // A pending review has no date and is nobody else's business; one without text says nothing here.
  const spoken = reviews.filter((review) => review.body && review.submitted_at);
  return [
    ...spoken.map((review) => ({
      place: 'review' as const,
      state: review.state,
      ...readSaid({ ...review, created_at: review.submitted_at! }),
    })),
    ...inline.map((comment) => ({
      place: 'review-comment' as const,
      path: comment.path,
      line: comment.line ?? comment.original_line,
      side: comment.side ?? 'RIGHT',
      diffHunk: comment.diff_hunk,
      replyTo: comment.in_reply_to_id,
      ...readSaid(comment),
    })),
  ];
}

interface RawSaid {
  id: number;
  user: { login: string; type?: string } | null;
  author_association?: string;
  created_at: string;
  body?: string | null;
  html_url: string;
}

function readSaid(raw: RawSaid): Said {
  const { id, created_at: createdAt, body, html_url: url } = raw;
  return { id, author: readAuthor(raw), createdAt, body: body ?? '', url };
}

function readAuthor({ user, author_association: association }: Pick<RawSaid, 'user' | 'author_association'>): Author {
  return { login: user?.login ?? 'ghost', isBot: user?.type === 'Bot', association: association ?? 'NONE' };
}
