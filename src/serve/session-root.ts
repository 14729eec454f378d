import type { Subjects } from '../store/records.ts';

/**
 * The key under which all deliveries of one session are worked, whatever its subjects: a pull request made for an issue
 * is worked as the issue is (T8, T9). It stays when the session is forgotten and the next generation begins.
 */
export async function rootOf(key: string, subjects: Pick<Subjects, 'sessionOf'>): Promise<string> {
  const [, repo, number] = /^(\d+)-(\d+)$/.exec(key) ?? [];
  if (repo === undefined) return key;
  const session = await subjects.sessionOf(Number(repo), Number(number));
  return /^gh-(\d+-\d+)-\d+$/.exec(session ?? '')?.[1] ?? key;
}
