import { checkSandbox } from '../../docker/check-sandbox.ts';
import { DEFAULT_DOCKER_HOST, connectEngine } from '../../docker/engine.ts';
import { ok } from './finding.ts';
import type { Check } from './finding.ts';

/** The engine answers and has the image for its own kind of machine. */
export function checkEngineAndImage(dockerHost: string | undefined, image: string): Check {
  return {
    name: 'sandbox',
    mend: 'Start a Docker engine, and build the image: docker build --target sandbox -t dsh-sandbox:local .',
    async run() {
      const { engine, imageId } = await checkSandbox(connectEngine(dockerHost), { image });
      const id = imageId.replace(/^sha256:/, '').slice(0, 12);
      const place = dockerHost ?? DEFAULT_DOCKER_HOST;
      return ok(`Docker ${engine.version} (${engine.os}/${engine.arch}) at ${place}, image ${image} (${id})`);
    },
  };
}
