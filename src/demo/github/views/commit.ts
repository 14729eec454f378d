import type { CommitData } from '../git/read-commits.ts';
import { fullNameOf, type Hub } from '../hub.ts';
import type { Account, Repository } from '../records.ts';
import { accountView } from './account.ts';

/** A commit of the commits API. */
export function commitView(hub: Hub, repository: Repository, commit: CommitData) {
  const url = `${hub.apiUrl}/repos/${fullNameOf(repository)}/commits/${commit.sha}`;
  const html = `${hub.url}/${fullNameOf(repository)}/commit/${commit.sha}`;
  const {
    node_id,
    url: gitUrl,
    author,
    committer,
    message,
    tree,
    verification,
  } = gitCommitView(hub, repository, commit);
  return {
    sha: commit.sha,
    node_id,
    url,
    html_url: html,
    comments_url: `${url}/comments`,
    commit: { url: gitUrl, author, committer, message, tree, comment_count: 0, verification },
    author: accountByEmail(hub, commit.author.email),
    committer: accountByEmail(hub, commit.committer.email),
    parents: commit.parents.map((sha) => parentView(hub, repository, sha, 'commits')),
  };
}

/** A commit of the Git Data API. */
export function gitCommitView(hub: Hub, repository: Repository, commit: CommitData) {
  const base = `${hub.apiUrl}/repos/${fullNameOf(repository)}/git`;
  return {
    sha: commit.sha,
    node_id: `C_${repository.id}_${commit.sha}`,
    url: `${base}/commits/${commit.sha}`,
    html_url: `${hub.url}/${fullNameOf(repository)}/commit/${commit.sha}`,
    author: commit.author,
    committer: commit.committer,
    tree: { sha: commit.tree, url: `${base}/trees/${commit.tree}` },
    message: commit.message,
    parents: commit.parents.map((sha) => parentView(hub, repository, sha, 'git/commits')),
    verification: verificationOf(repository, commit),
  };
}

function verificationOf(repository: Repository, { sha, tree, committer }: CommitData) {
  if (!repository.verified.has(sha))
    return { verified: false, reason: 'unsigned', signature: null, payload: null, verified_at: null };
  const signature = '-----BEGIN PGP SIGNATURE-----\n\ndemo\n-----END PGP SIGNATURE-----\n';
  return { verified: true, reason: 'valid', signature, payload: `tree ${tree}\n`, verified_at: committer.date };
}

function parentView(hub: Hub, repository: Repository, sha: string, kind: string) {
  const path = `${fullNameOf(repository)}`;
  return { sha, url: `${hub.apiUrl}/repos/${path}/${kind}/${sha}`, html_url: `${hub.url}/${path}/commit/${sha}` };
}

/** GitHub knows its own no-reply addresses; every other address belongs to nobody here. */
function accountByEmail(hub: Hub, email: string) {
  const login = /^\d+\+(.+)@users\.noreply\./.exec(email)?.[1];
  const account: Account | undefined = login === undefined ? undefined : hub.findAccount(login);
  return account ? accountView(hub, account) : null;
}
