import Docker from 'dockerode';
import { sandboxUnavailable } from './errors.ts';

export const DEFAULT_DOCKER_HOST = 'unix:///var/run/docker.sock';
const PING_LIMIT_MS = 5_000;

/** What an engine is, as far as a sandbox depends on it. `arch` is in Docker's words: `amd64`, `arm64`. */
export interface EngineFacts {
  version: string;
  os: string;
  arch: string;
}

/** A client for the engine at `dockerHost` (`unix://`, `tcp://`, `http(s)://`, `ssh://`). Connects to nothing yet. */
export function connectEngine(dockerHost: string = DEFAULT_DOCKER_HOST): Docker {
  if (dockerHost.startsWith('unix://')) return new Docker({ socketPath: dockerHost.slice('unix://'.length) });

  const url = URL.parse(dockerHost);
  if (!url?.hostname) throw sandboxUnavailable(`DOCKER_HOST is not an address: ${dockerHost}`, START_ENGINE);
  const protocol = url.protocol === 'https:' ? 'https' : url.protocol === 'ssh:' ? 'ssh' : 'http';
  const port = url.port === '' ? (protocol === 'ssh' ? 22 : 2375) : Number(url.port);
  return new Docker({ host: url.hostname, port, protocol, ...(url.username !== '' && { username: url.username }) });
}

/** Asks the engine what it is. Throws `SANDBOX_UNAVAILABLE` with what to mend when nobody answers. */
export async function checkEngine(docker: Docker, limitMs: number = PING_LIMIT_MS): Promise<EngineFacts> {
  const asking = new AbortController();
  try {
    const { Version, Os, Arch } = await withinLimit(versionOf(docker, asking.signal), limitMs);
    if (Os !== 'linux')
      throw sandboxUnavailable(`The Docker engine runs ${Os} containers.`, 'Switch it to Linux containers.');
    return { version: Version, os: Os, arch: Arch };
  } catch (cause) {
    throw asEngineError(cause);
  } finally {
    asking.abort(); // a connection that nobody answers would keep this process alive
  }
}

/** The client takes a signal, but its types do not know. */
function versionOf(docker: Docker, abortSignal: AbortSignal): Promise<Docker.DockerVersion> {
  const ask = docker.version as unknown as (options: object) => Promise<Docker.DockerVersion>;
  return ask.call(docker, { abortSignal });
}

/** The image's id. Throws `SANDBOX_UNAVAILABLE` when the engine does not have it, or has it for another machine. */
export async function checkImage(docker: Docker, image: string, engine: EngineFacts): Promise<string> {
  try {
    const { Id, Os, Architecture } = await docker.getImage(image).inspect();
    if (Os !== engine.os || Architecture !== engine.arch) {
      throw sandboxUnavailable(
        `The sandbox image ${image} is made for ${Os}/${Architecture}, the engine is ${engine.os}/${engine.arch}.`,
        'Name an image for this architecture in DSH_SANDBOX_IMAGE.',
      );
    }
    return Id;
  } catch (cause) {
    if (statusOf(cause) !== 404) throw asEngineError(cause);
    throw sandboxUnavailable(
      `The Docker engine has no image ${image}.`,
      `Run \`docker pull ${image}\` (or \`docker build --target sandbox -t ${image} .\`), or name another one in DSH_SANDBOX_IMAGE.`,
      cause,
    );
  }
}

const START_ENGINE = 'Start the Docker engine, or set DOCKER_HOST to one that runs.';

/** Puts a failed engine call into words for the operator. Errors that already are in such words pass. */
export function asEngineError(cause: unknown): Error {
  const { code, message } = cause as { code?: unknown; message?: string };
  if (code === 'SANDBOX_UNAVAILABLE') return cause as Error;
  if (code === 'EACCES' || code === 'EPERM') {
    return sandboxUnavailable(
      'This user may not talk to the Docker engine (permission denied on its socket).',
      'Add the user to the `docker` group, or set DOCKER_HOST to an engine that it may use.',
      cause,
    );
  }
  if (isConnectionFailure(code)) return sandboxUnavailable(`No Docker engine answers (${code}).`, START_ENGINE, cause);
  const said = (cause as { json?: { message?: string } }).json?.message ?? message ?? String(cause);
  return sandboxUnavailable(
    `The Docker engine refused: ${said}`,
    'See the log of the Docker engine for the reason.',
    cause,
  );
}

const CONNECTION_FAILURES = [
  'ENOENT',
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ETIMEDOUT',
  'ENOTSOCK',
  'EPIPE',
];

function isConnectionFailure(code: unknown): boolean {
  return typeof code === 'string' && CONNECTION_FAILURES.includes(code);
}

/** HTTP status of a failed engine call. */
export function statusOf(cause: unknown): number | undefined {
  return (cause as { statusCode?: number }).statusCode;
}

async function withinLimit<T>(work: Promise<T>, limitMs: number): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => reject(sandboxUnavailable(`The Docker engine did not answer within ${limitMs} ms.`, START_ENGINE)),
    limitMs,
  );
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
    work.catch(() => {});
  }
}
