import type { Comment, Issue, Repository } from '../../../src/demo/github/records.ts';
import type { Stage, Subject } from './stage.ts';

/** What anyone can see on the stage's GitHub, read from its state and its git. */
export function repositoryOf({ github }: Stage, name: string): Repository {
  const found = github.state.findRepository(name);
  if (!found) throw new Error(`there is no ${name}`);
  return found;
}

export function issueOf(stage: Stage, { repo, number }: Pick<Subject, 'repo' | 'number'>): Issue {
  const found = repositoryOf(stage, repo).issues.get(number);
  if (!found) throw new Error(`there is no ${repo}#${number}`);
  return found;
}

export function pullsOf(stage: Stage, repo: string): Issue[] {
  return [...repositoryOf(stage, repo).issues.values()].filter(({ pull }) => pull !== null);
}

export async function branchesOf(stage: Stage, repo: string): Promise<string[]> {
  const text = await gitOf(stage, repo, 'for-each-ref', '--format=%(refname:short)', 'refs/heads/');
  return text.split('\n').filter(Boolean);
}

export function gitOf(stage: Stage, repo: string, ...args: string[]): Promise<string> {
  return stage.github.state.git(repositoryOf(stage, repo)).text(args);
}

/** Comments by bots on an issue or pull request. */
export function botComments(stage: Stage, subject: Pick<Subject, 'repo' | 'number'>): Comment[] {
  return issueOf(stage, subject).comments.filter(({ author }) => author.type === 'Bot');
}

/** `login content` of every reaction, in the order they stand there. */
export function reactionsOn({ reactions }: Pick<Comment, 'reactions'>): string[] {
  return reactions.map(({ user, content }) => `${user.login} ${content}`);
}
