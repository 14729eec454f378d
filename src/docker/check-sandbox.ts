import type Docker from 'dockerode';
import { asEngineError, checkEngine, checkImage } from './engine.ts';
import type { EngineFacts } from './engine.ts';
import { sandboxUnavailable } from './errors.ts';
import type { SandboxRuntime } from './sandbox-options.ts';

export interface CheckedSandbox {
  engine: EngineFacts;
  /** The image by id: a tag that moves later changes nothing. */
  imageId: string;
}

/** Engine, image and runtime, before anything else is spent. Throws `SANDBOX_UNAVAILABLE` with what to mend. */
export async function checkSandbox(
  docker: Docker,
  { image, runtime }: { image: string; runtime?: SandboxRuntime | undefined },
): Promise<CheckedSandbox> {
  const engine = await checkEngine(docker);
  const imageId = await checkImage(docker, image, engine);
  if (runtime) await checkRuntime(docker, runtime);
  return { engine, imageId };
}

async function checkRuntime(docker: Docker, runtime: SandboxRuntime): Promise<void> {
  const info = await docker.info().catch((cause: unknown) => {
    throw asEngineError(cause);
  });
  const known = Object.keys((info as { Runtimes?: object }).Runtimes ?? {});
  if (known.includes(runtime)) return;
  throw sandboxUnavailable(
    `The Docker engine has no runtime ${runtime}; it has ${known.join(', ')}.`,
    `Install ${runtime} for this engine, or configure one of those.`,
  );
}
