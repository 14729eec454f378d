import { mkdir, readdir, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Duplex } from 'node:stream';
import type Docker from 'dockerode';
import { AgentClient } from './agent-client.ts';
import { MAX_CONFINEMENT_ENTRIES, TMP_FOLDER } from './agent/protocol.ts';
import { ensureAgentVolume, forgetAgentVolume } from './agent-volume.ts';
import type { CheckedSandbox } from './check-sandbox.ts';
import { containerOptions } from './container-options.ts';
import { asEngineError } from './engine.ts';
import { sandboxUnavailable } from './errors.ts';
import { removeContainer } from './remove-container.ts';
import { SANDBOX_LIMITS } from './sandbox-options.ts';
import type { ContainerSettings, SandboxLimits } from './sandbox-options.ts';
import { giveTo, letRead, ownTree } from './tree-owner.ts';
import { weakerThanAsked } from './weaker-than-asked.ts';

/** An engine that does not answer cannot be asked to clean up; the sweep does it later. */
const CLEANUP_LIMIT_MS = 5_000;

export interface StartedContainer {
  id: string;
  uid: number;
  agent: AgentClient;
  /** What it has as `/tmp`. */
  tmpVolume: string;
}

/** One container with a living agent that is confined as asked. Leaves nothing behind when that fails. */
export async function startContainer(
  wanted: ContainerSettings,
  { engine, imageId }: CheckedSandbox,
): Promise<StartedContainer> {
  const options = { ...wanted, tree: await realpath(wanted.tree) };
  const { docker, tree } = options;
  const limits = { ...SANDBOX_LIMITS, ...options.limits };
  if (options.gitDir !== undefined) await ensureMountPoint(join(tree, '.git'));
  const owner = options.siblingOf?.owner ?? (await ownTree(tree));
  if (options.gitDir !== undefined && !options.siblingOf) await letRead(options.gitDir);
  const uid = options.mode === 'danger-full-access' ? 0 : owner;
  for (const folder of [options.spillDir, options.egressDir]) if (folder !== undefined) await giveTo(folder, owner);
  const creation = createContainer(options, { engine, imageId }, limits, uid);
  const attaching = creation.then((container) => attach(container, limits.silenceMs));
  try {
    const starting = Promise.all([start(creation, attaching), creation.then(tmpVolumeOf)]);
    const [agent, tmpVolume] = await withinLimit(starting, limits.startMs);
    await assertConfined(agent, options, uid);
    return { id: (await creation).id, uid, agent, tmpVolume };
  } catch (cause) {
    forgetAgentVolume(docker);
    attaching.then((agent) => agent.lose('it did not start')).catch(() => {});
    await Promise.race([
      creation.then(removeContainer).catch(() => {}),
      sleep(CLEANUP_LIMIT_MS, undefined, { ref: false }),
    ]);
    throw asEngineError(cause);
  }
}

async function createContainer(
  options: ContainerSettings,
  { engine, imageId }: CheckedSandbox,
  limits: SandboxLimits,
  uid: number,
): Promise<Docker.Container> {
  const agentVolume = await ensureAgentVolume(options.docker, imageId, engine);
  return options.docker.createContainer(containerOptions({ ...options, image: imageId, limits, uid, agentVolume }));
}

/** The engine cannot make it in a read-only tree, and elsewhere it would belong to root. */
async function ensureMountPoint(folder: string): Promise<void> {
  await mkdir(folder).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code !== 'EEXIST') throw cause;
  });
}

async function attach(container: Docker.Container, silenceMs: number): Promise<AgentClient> {
  const stream = await container.attach({ stream: true, stdin: true, stdout: true, stderr: true, hijack: true });
  return new AgentClient(stream as unknown as Duplex, { silenceMs });
}

async function start(creation: Promise<Docker.Container>, attaching: Promise<AgentClient>): Promise<AgentClient> {
  const [container, agent] = [await creation, await attaching];
  await container.start();
  try {
    await agent.hello;
  } catch (cause) {
    throw sandboxUnavailable(
      `The image cannot run the sandbox agent. ${(cause as Error).message}`,
      'Name an image with glibc 2.28 or later, libstdc++6, bash and coreutils in DSH_SANDBOX_IMAGE.',
      cause,
    );
  }
  return agent;
}

async function tmpVolumeOf(container: Docker.Container): Promise<string> {
  const { Mounts } = await container.inspect();
  return Mounts.find(({ Destination }) => Destination === TMP_FOLDER)!.Name!;
}

async function assertConfined(agent: AgentClient, options: ContainerSettings, uid: number): Promise<void> {
  const faults = weakerThanAsked(await agent.hello, {
    ...options,
    egress: options.egressDir !== undefined,
    uid,
    ...(!options.siblingOf && { entries: await namesIn(options.tree) }),
  });
  if (faults.length === 0) return;
  const reason = faults.join('; ');
  agent.lose(reason);
  throw sandboxUnavailable(
    `The Docker engine did not give the sandbox that was asked for: ${reason}.`,
    'Use an engine on this machine that can confine containers.',
  );
}

async function namesIn(tree: string): Promise<string[]> {
  return (await readdir(tree)).sort().slice(0, MAX_CONFINEMENT_ENTRIES);
}

async function withinLimit<T>(work: Promise<T>, limitMs: number): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const hint = 'See the log of the Docker engine; the image must be able to run a glibc program.';
  const timer = setTimeout(
    () => reject(sandboxUnavailable(`The sandbox did not start within ${limitMs} ms.`, hint)),
    limitMs,
  );
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
    work.catch(() => {});
  }
}
