import type { GitHub } from './client.ts';
import type { RepoRef } from './repository.ts';
import { statusOf } from './request-hook.ts';

export interface LinkedItem extends RepoRef {
  number: number;
  kind: 'issue' | 'pull';
  title: string;
  state: string;
  url: string;
}

export interface ItemRef extends RepoRef {
  number: number;
}

const MAX_LINKED = 10;
const REFERENCE =
  /(?:https?:\/\/[^\s/]+\/(?<urlOwner>[\w.-]+)\/(?<urlRepo>[\w.-]+)\/(?:issues|pull)\/|(?<![\w/&])(?:(?<owner>[\w.-]+)\/(?<repo>[\w.-]+))?#)(?<number>\d{1,9})\b/g;

/** The issues and pull requests a text names, each once, in order of first mention. */
export function findReferences(text: string, home: ItemRef): ItemRef[] {
  const found = new Map<string, ItemRef>();
  for (const { groups } of text.matchAll(REFERENCE)) {
    const owner = groups!.urlOwner ?? groups!.owner ?? home.owner;
    const repo = groups!.urlRepo ?? groups!.repo ?? home.repo;
    found.set(keyOf({ owner, repo, number: Number(groups!.number) }), { owner, repo, number: Number(groups!.number) });
  }
  found.delete(keyOf(home));
  return [...found.values()];
}

/** Title and state of what the texts of one repository name, at most ten; what cannot be read is left out. */
export async function readLinkedItems(
  github: GitHub,
  home: ItemRef,
  texts: string[],
  signal?: AbortSignal,
): Promise<LinkedItem[]> {
  const near = findReferences(texts.join('\n'), home).filter(({ owner, repo }) => isSame(owner, repo, home));
  const items = await Promise.all(near.slice(0, MAX_LINKED).map((ref) => readItem(github, ref, signal)));
  return items.filter((item) => item !== undefined);
}

async function readItem(github: GitHub, ref: ItemRef, signal?: AbortSignal): Promise<LinkedItem | undefined> {
  const { owner, repo, number } = ref;
  try {
    const { data } = await github.rest.issues.get({ owner, repo, issue_number: number, request: { signal } });
    const kind = data.pull_request ? 'pull' : 'issue';
    return { ...ref, kind, title: data.title, state: data.state, url: data.html_url };
  } catch (error) {
    if ([404, 410, 301].includes(statusOf(error) ?? 0)) return undefined;
    throw error;
  }
}

function isSame(owner: string, repo: string, home: RepoRef): boolean {
  return `${owner}/${repo}`.toLowerCase() === `${home.owner}/${home.repo}`.toLowerCase();
}

function keyOf({ owner, repo, number }: ItemRef): string {
  return `${owner}/${repo}#${number}`.toLowerCase();
}
