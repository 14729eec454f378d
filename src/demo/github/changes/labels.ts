import { emitSubject } from './issue-events.ts';
import type { Hub } from '../hub.ts';
import type { Account, Issue, Label, Repository } from '../records.ts';
import { Refusal } from '../refusal.ts';
import { labelView } from '../views/issue.ts';

/** Puts labels on; each new one is an event. */
export async function addLabels(
  hub: Hub,
  repository: Repository,
  issue: Issue,
  by: Account,
  names: string[],
): Promise<void> {
  for (const label of names.map((name) => findOrMakeLabel(hub, repository, name))) {
    if (issue.labels.includes(label)) continue;
    issue.labels.push(label);
    issue.updatedAt = hub.now();
    await emitSubject(hub, repository, issue, by, 'labeled', { label: labelView(hub, repository, label) });
  }
}

export async function removeLabel(
  hub: Hub,
  repository: Repository,
  issue: Issue,
  by: Account,
  name: string,
): Promise<void> {
  const label = issue.labels.find((candidate) => candidate.name.toLowerCase() === name.toLowerCase());
  if (!label) throw new Refusal(404, 'Label does not exist');
  issue.labels = issue.labels.filter((candidate) => candidate !== label);
  await emitSubject(hub, repository, issue, by, 'unlabeled', { label: labelView(hub, repository, label) });
}

/** Makes `names` all the labels there are on it. */
export async function replaceLabels(
  hub: Hub,
  repository: Repository,
  issue: Issue,
  by: Account,
  names: string[],
): Promise<void> {
  const surplus = issue.labels.filter((label) => !names.includes(label.name));
  for (const { name } of surplus) await removeLabel(hub, repository, issue, by, name);
  await addLabels(hub, repository, issue, by, names);
}

export function findOrMakeLabel(hub: Hub, repository: Repository, name: string): Label {
  const known = repository.labels.find((label) => label.name.toLowerCase() === name.toLowerCase());
  if (known) return known;
  const label: Label = { id: hub.nextId(), name, color: 'ededed', description: null };
  repository.labels.push(label);
  return label;
}
