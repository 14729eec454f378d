import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { sandboxUnavailable } from '../errors.ts';
import type { AddressRules } from './admit.ts';
import { EGRESS_SOCKET } from '../agent/protocol.ts';
import { EgressProxy } from './egress-proxy.ts';
import type { EgressLimits } from './egress-proxy.ts';
import type { EgressPolicy } from './egress-policy.ts';
import { runningKernel } from '../sweep/worker-boot.ts';
import type { NetworkRequest } from './request-log.ts';
import { forbiddenAddress, resolveHost } from './resolve-host.ts';

export interface EgressOptions {
  readonly policy: EgressPolicy;
  /** Host folder for sockets; the engine must see it as it sees the work tree. */
  readonly folder: string;
  readonly record: (request: NetworkRequest) => void;
  readonly limits?: Partial<EgressLimits>;
  /** How names are looked up and addresses judged; by default with what this machine knows, and nothing but public ones pass. */
  readonly rules?: AddressRules;
}

/** One way out. `folder` holds its socket and nothing else, and is what a container gets. */
export interface Egress {
  readonly folder: string;
  close(): Promise<void>;
}

export const EGRESS_LIMITS: EgressLimits = { connections: 128, connectMs: 10_000, idleMs: 120_000 };
const PUBLIC_ONLY: AddressRules = { resolve: resolveHost, forbidden: forbiddenAddress };
/** Of a socket's name, by the kernel. */
const MAX_PATH_BYTES = 107;

/** Opens a sandbox's way out. Who opens it closes it. Throws `SANDBOX_UNAVAILABLE` where no socket can be made. */
export async function openEgress(options: EgressOptions): Promise<Egress> {
  const { policy, record, limits, rules = PUBLIC_ONLY } = options;
  await mkdir(options.folder, { recursive: true, mode: 0o700 });
  const folder = await mkdtemp(join(options.folder, egressPrefix()));
  const close = () => rm(folder, { recursive: true, force: true });
  const proxy = new EgressProxy({ policy, rules, record, limits: { ...EGRESS_LIMITS, ...limits } });
  try {
    await proxy.listen(socketIn(folder));
  } catch (cause) {
    await close();
    throw cause;
  }
  return { folder, close: () => proxy.close().then(close) };
}

/** Of the folders' names: short, and another one on every machine that shares the folder, whose sockets are dead here. */
export function egressPrefix(): string {
  return `e${runningKernel()?.slice(0, 4) ?? ''}`;
}

function socketIn(folder: string): string {
  const path = join(folder, EGRESS_SOCKET);
  if (Buffer.byteLength(path) <= MAX_PATH_BYTES) return path;
  throw sandboxUnavailable(
    `The data directory's path is too long for the socket of the network proxy (${path}).`,
    `Set DSH_DATA_DIR to a path shorter by ${Buffer.byteLength(path) - MAX_PATH_BYTES} bytes, or the network to none.`,
  );
}
