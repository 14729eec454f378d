import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { connectEngine } from '../../../src/docker/engine.ts';

/** Containers, processes and temporary files that a run left behind; `root` is in the paths and environments of all of them. */
export async function whatIsLeftOf(root: string): Promise<string[]> {
  return [...(await containersOf(root)), ...(await processesOf(root)), ...(await filesOf(root))];
}

/** The session containers whose work tree lies below `root`. The engine is shared, so others' are not ours to count. */
export async function containersOf(root: string): Promise<string[]> {
  const all = await connectEngine(process.env.DOCKER_HOST).listContainers({
    all: true,
    filters: { label: ['dsh.session'] },
  });
  return all
    .filter(({ Mounts }) => Mounts.some(({ Source }) => Source?.startsWith(root)))
    .map(({ Id }) => `container ${Id}`);
}

/** As an engine that is restarted does to them. */
export async function killContainersOf(root: string): Promise<void> {
  const engine = connectEngine(process.env.DOCKER_HOST);
  for (const found of await containersOf(root)) await engine.getContainer(found.replace('container ', '')).kill();
}

async function processesOf(root: string): Promise<string[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid);
  const found = await Promise.all(pids.map(async (pid) => ((await mentions(pid, root)) ? [`process ${pid}`] : [])));
  return found.flat();
}

async function mentions(pid: string, text: string): Promise<boolean> {
  const parts = await Promise.all(
    ['cmdline', 'environ'].map((file) => readFile(`/proc/${pid}/${file}`, 'utf8').catch(() => '')),
  );
  return parts.some((part) => part.includes(text));
}

/** Work trees, locks and half-made things; mirrors and logs are meant to stay. */
async function filesOf(root: string): Promise<string[]> {
  const list = (folder: string) => readdir(join(root, folder)).catch(() => [] as string[]);
  const [tmp, sessions, mirrors] = await Promise.all([list('tmp'), list('data/sessions'), list('data/mirrors')]);
  const unfinished = mirrors.filter((name) => !name.endsWith('.git'));
  return [...tmp, ...sessions, ...unfinished].map((name) => `file ${name}`);
}
