import type { Git } from './git.ts';
import { readRef } from './refs.ts';

/** What a path becomes: text or bytes, a file with a mode (`120000` link, `160000` submodule: the content is its sha), or null to delete it. */
export type FileChange = string | Uint8Array | { mode: string; content: string | Uint8Array } | null;

export interface NewCommit {
  branch: string;
  parent?: string;
  message: string;
  files: Record<string, FileChange>;
  name: string;
  email: string;
  date: Date;
}

/** Makes one commit in one git process and gives its sha. The branch moves to it, whatever it was before. */
export async function importCommit(git: Git, commit: NewCommit): Promise<string> {
  await git.run(['fast-import', '--quiet', '--force', '--date-format=raw'], { input: toStream(commit) });
  return (await readRef(git, `refs/heads/${commit.branch}`))!;
}

function toStream(commit: NewCommit): Buffer {
  const stamp = `${commit.name} <${commit.email}> ${Math.floor(commit.date.getTime() / 1000)} +0000`;
  const parts: (string | Uint8Array)[] = [`commit refs/heads/${commit.branch}\n`];
  parts.push(`author ${stamp}\ncommitter ${stamp}\n`, ...data(commit.message));
  if (commit.parent) parts.push(`from ${commit.parent}\n`);
  for (const [path, change] of Object.entries(commit.files)) parts.push(...fileChange(path, change));
  return Buffer.concat(parts.map((part) => Buffer.from(part as string)));
}

function fileChange(path: string, change: FileChange): (string | Uint8Array)[] {
  if (change === null) return [`D ${quote(path)}\n`];
  const file = typeof change === 'object' && 'mode' in change ? change : { mode: '100644', content: change };
  if (file.mode === '160000') return [`M 160000 ${file.content} ${quote(path)}\n`];
  return [`M ${file.mode} inline ${quote(path)}\n`, ...data(file.content)];
}

const data = (content: string | Uint8Array) => [`data ${Buffer.from(content as string).length}\n`, content, '\n'];

const quote = (path: string) => `"${path.replace(/[\\"]/g, '\\$&').replaceAll('\n', '\\n')}"`;
