import { readCommits, type CommitData } from '../git/read-commits.ts';
import { isAncestor } from '../git/refs.ts';
import { fullNameOf, type Hub } from '../hub.ts';
import { noreplyAddress } from '../identity.ts';
import type { Account, Repository } from '../records.ts';
import { repositoryView } from '../views/repository.ts';

const mostCommits = 20;

/** Sends one `push` event for one moved, made or deleted ref. */
export async function emitPush(
  hub: Hub,
  repository: Repository,
  update: { ref: string; before: string; after: string },
  by: Account,
): Promise<void> {
  const { ref, before, after } = update;
  const created = /^0+$/.test(before);
  const deleted = /^0+$/.test(after);
  const git = hub.git(repository);
  const forced = !created && !deleted && !(await isAncestor(git, before, after));
  const commits =
    deleted || !ref.startsWith('refs/heads/')
      ? []
      : await pushedCommits(hub, repository, created ? newOn(ref, after) : [`${before}..${after}`]);
  const html = `${hub.url}/${fullNameOf(repository)}`;

  hub.webhooks.emit('push', repository, by, {
    ref,
    before,
    after,
    created,
    deleted,
    forced,
    base_ref: null,
    compare: `${html}/compare/${before.slice(0, 12)}...${after.slice(0, 12)}`,
    commits,
    head_commit: commits.at(-1) ?? null,
    repository: pushedRepository(hub, repository),
    pusher: { name: by.login, email: noreplyAddress(hub, by) },
  });
}

/** Only here GitHub says an owner's name and address. */
function pushedRepository(hub: Hub, repository: Repository) {
  const view = repositoryView(hub, repository);
  const { owner } = repository;
  return { ...view, owner: { ...view.owner, name: owner.login, email: noreplyAddress(hub, owner) } };
}

async function pushedCommits(hub: Hub, repository: Repository, range: string[]) {
  const git = hub.git(repository);
  const [commits, changes] = await Promise.all([
    readCommits(git, ['-n', String(mostCommits), '--reverse', ...range]),
    git.text(['log', '-n', String(mostCommits), '--no-renames', '--format=%x01%H', '--name-status', ...range]),
  ]);
  const changed = parseChanges(changes);
  return commits.map((commit) => commitView(hub, repository, commit, changed.get(commit.sha) ?? []));
}

/** The commits of a new branch that no other branch has. */
const newOn = (ref: string, sha: string) => [
  sha,
  '--not',
  `--exclude=${ref.slice('refs/heads/'.length)}`,
  '--branches',
];

function parseChanges(log: string): Map<string, [string, string][]> {
  const blocks = log.split('\x01').filter((block) => block !== '');
  return new Map(
    blocks.map((block) => {
      const [sha = '', ...lines] = block.split('\n').filter((line) => line !== '');
      return [sha, lines.map((line) => line.split('\t') as [string, string])];
    }),
  );
}

function commitView(hub: Hub, repository: Repository, commit: CommitData, changes: [string, string][]) {
  const paths = (letters: string) => changes.filter(([letter]) => letters.includes(letter)).map(([, path]) => path);
  return {
    id: commit.sha,
    tree_id: commit.tree,
    distinct: true,
    message: commit.message,
    timestamp: commit.committer.date,
    url: `${hub.url}/${fullNameOf(repository)}/commit/${commit.sha}`,
    author: commit.author,
    committer: commit.committer,
    added: paths('A'),
    removed: paths('D'),
    modified: paths('MT'),
  };
}
