import type { Git } from './git.ts';

export interface Signature {
  name: string;
  email: string;
  date: string;
}

export interface CommitData {
  sha: string;
  tree: string;
  parents: string[];
  author: Signature;
  committer: Signature;
  message: string;
}

const format = '--format=%H%n%T%n%P%n%an%n%ae%n%aI%n%cn%n%ce%n%cI%n%B%x00';

/** Commits as `git log` lists them; `args` say from where, how many and which paths. Dates come out in UTC. */
export async function readCommits(git: Git, args: string[]): Promise<CommitData[]> {
  return parseCommits((await git.run(['log', format, ...args])).toString());
}

/** One commit, or undefined when `revision` names none. */
export async function readCommit(git: Git, revision: string): Promise<CommitData | undefined> {
  const kept = knownOf(git).get(revision);
  if (kept) return kept;
  const log = await git.ask(['log', format, '-1', '--end-of-options', `${revision}^{commit}`]);
  const commit = log === undefined ? undefined : parseCommits(log)[0];
  if (commit) knownOf(git).set(commit.sha, commit);
  return commit;
}

/** By sha: what a sha names never changes. */
const known = new WeakMap<Git, Map<string, CommitData>>();

function knownOf(git: Git): Map<string, CommitData> {
  const commits = known.get(git) ?? new Map<string, CommitData>();
  known.set(git, commits);
  return commits;
}

function parseCommits(log: string): CommitData[] {
  return log
    .split('\0')
    .map((record) => record.replace(/^\n/, ''))
    .filter((record) => record !== '')
    .map(parseCommit);
}

function parseCommit(record: string): CommitData {
  const [sha, tree, parents, an, ae, ad, cn, ce, cd, ...message] = record.split('\n') as [string, string, ...string[]];
  return {
    sha,
    tree,
    parents: parents ? parents.split(' ') : [],
    author: { name: an ?? '', email: ae ?? '', date: utc(ad) },
    committer: { name: cn ?? '', email: ce ?? '', date: utc(cd) },
    message: message.join('\n').replace(/\n+$/, ''),
  };
}

const utc = (date: string | undefined) => new Date(date ?? 0).toISOString().replace(/\.\d+Z$/, 'Z');
