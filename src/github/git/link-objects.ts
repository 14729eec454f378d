import { copyFile, link, mkdir, readdir, readFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';

/**
 * Gives a git directory all objects of another without copying bytes: hard links, since `alternates` would point to
 * a path a container does not have. What the source borrows is linked as well.
 */
export async function linkObjects(fromGitDir: string, toGitDir: string): Promise<void> {
  const target = join(toGitDir, 'objects');
  for (const store of await objectStores(join(fromGitDir, 'objects'))) {
    await linkFolder(store, target, 'pack', (name) => name.startsWith('pack-'));
    for (const folder of await readdir(store)) {
      if (/^[0-9a-f]{2}$/.test(folder)) await linkFolder(store, target, folder, (name) => /^[0-9a-f]+$/.test(name));
    }
  }
}

async function objectStores(store: string): Promise<string[]> {
  const text = await readFile(join(store, 'info', 'alternates'), 'utf8').catch(() => '');
  const lenders = text.split('\n').filter((line) => line && !line.startsWith('#'));
  const further = await Promise.all(lenders.map((lender) => objectStores(resolve(store, lender))));
  return [store, ...further.flat()];
}

async function linkFolder(from: string, to: string, folder: string, wanted: (name: string) => boolean): Promise<void> {
  const names = await readdir(join(from, folder)).catch(() => []);
  await mkdir(join(to, folder), { recursive: true });
  // An index without its pack is an error to git, a pack without its index is not seen yet: indexes go last.
  const ordered = names.filter(wanted).sort((a, b) => Number(a.endsWith('.idx')) - Number(b.endsWith('.idx')));
  for (const name of ordered) await linkFile(join(from, folder, name), join(to, folder, name));
}

async function linkFile(from: string, to: string): Promise<void> {
  try {
    await link(from, to);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') return;
    // Another file system, or a kernel that lets only owners link.
    if (code !== 'EXDEV' && code !== 'EPERM') throw error;
    await mkdir(dirname(to), { recursive: true });
    await copyFile(from, to);
  }
}
