import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import type Docker from 'dockerode';
import { pack } from 'tar-stream';
import { agentBundle } from './agent-bundle.ts';
import { statusOf } from './engine.ts';
import type { EngineFacts } from './engine.ts';
import { nodeBinaryFor } from './node-binary.ts';

export const AGENT_FOLDER = '/opt/dsh';
export const AGENT_NODE = `${AGENT_FOLDER}/node`;
export const AGENT_SCRIPT = `${AGENT_FOLDER}/sandbox-agent.mjs`;
/** Marks the volumes, and the containers that fill them. */
export const AGENT_LABEL = 'dsh.agent';
const COMPLETE = `${AGENT_FOLDER}/complete`;

const filled = new WeakMap<Docker, Promise<string>>();

/**
 * A named volume with the agent and a Node that fits the engine, filled once per version through the engine itself: a
 * folder of this host would be unknown to a remote engine. Answers the volume's name. Its content is looked at once per
 * client, until `forgetAgentVolume`; whether it is there, every time: the sweep of another version may have taken it.
 */
export async function ensureAgentVolume(docker: Docker, image: string, engine: EngineFacts): Promise<string> {
  const known = filled.get(docker);
  if (known && (await hasVolume(docker, await known))) return known;
  if (filled.get(docker) !== known) return ensureAgentVolume(docker, image, engine);
  const filling = fillAgentVolume(docker, image, engine);
  filled.set(docker, filling);
  filling.catch(() => filled.delete(docker));
  return filling;
}

/** Somebody may have removed it. */
export function forgetAgentVolume(docker: Docker): void {
  filled.delete(docker);
}

async function hasVolume(docker: Docker, name: string): Promise<boolean> {
  try {
    await docker.getVolume(name).inspect();
    return true;
  } catch (cause) {
    if (statusOf(cause) === 404) return false;
    throw cause;
  }
}

/** The volume that this version uses on such an engine. */
export async function agentVolumeName(engine: EngineFacts): Promise<string> {
  const { size, mtimeMs } = await stat(nodeBinaryFor(engine));
  const identity = [await agentBundle(), process.version, engine.arch, size, mtimeMs].join('\n');
  return `dsh-agent-${createHash('sha256').update(identity).digest('hex').slice(0, 16)}`;
}

async function fillAgentVolume(docker: Docker, image: string, engine: EngineFacts): Promise<string> {
  const [script, node, name] = [await agentBundle(), nodeBinaryFor(engine), await agentVolumeName(engine)];
  const { size } = await stat(node);
  const mount = {
    Type: 'volume',
    Source: name,
    Target: AGENT_FOLDER,
    ReadOnly: false,
    VolumeOptions: NO_COPY,
  } as const;
  const Labels = { [AGENT_LABEL]: '1' };
  const options = { Image: image, Cmd: ['true'], Labels, NetworkDisabled: true, HostConfig: { Mounts: [mount] } };
  const container = await docker.createContainer(options);
  try {
    if (!(await isComplete(container))) {
      await container.putArchive(agentArchive(script, node, size), { path: AGENT_FOLDER });
    }
  } finally {
    await container.remove({ force: true });
  }
  return name;
}

const NO_COPY = { NoCopy: true, Labels: { [AGENT_LABEL]: '1' }, DriverConfig: { Name: 'local', Options: {} } };

async function isComplete(container: Docker.Container): Promise<boolean> {
  try {
    const answer = await container.infoArchive({ path: COMPLETE });
    answer.resume(); // it is a stream, whose socket stays open until it is read
    return true;
  } catch (cause) {
    if (statusOf(cause) === 404) return false;
    throw cause;
  }
}

/**
 * Node may be run but not read (0111): the kernel then keeps commands of the same user out of the agent's memory and
 * files. The mark of completeness comes last.
 */
function agentArchive(script: string, node: string, nodeBytes: number): Readable {
  const archive = pack();
  archive.entry({ name: 'sandbox-agent.mjs', mode: 0o444 }, script);
  const entry = archive.entry({ name: 'node', mode: 0o111, size: nodeBytes }, () => {
    archive.entry({ name: 'complete', mode: 0o444 }, '');
    archive.finalize();
  });
  createReadStream(node).pipe(entry);
  return Readable.from(archive);
}
