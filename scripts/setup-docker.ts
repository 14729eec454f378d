import { homedir } from 'node:os';
import { join } from 'node:path';
import { checkEngine, connectEngine } from '../src/docker/engine.ts';
import { ensureSandboxImage } from './docker/sandbox-image.ts';
import { startEngine, stopEngine } from './docker/start-engine.ts';

/**
 * Leaves a Docker engine running and the tools image in it, for `npm run demo` and `npm test`. Does nothing where both
 * are there. `--stop` ends the engine that an earlier call started.
 */
async function setupDocker(): Promise<void> {
  const cacheDir = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'dsh', 'docker');
  if (process.argv.includes('--stop')) return stopEngine(cacheDir, say);

  const docker = connectEngine(process.env['DOCKER_HOST']);
  const answered = await checkEngine(docker).catch((cause: Error & { hint?: string }) => cause);
  if (Error.isError(answered)) {
    if (process.env['DOCKER_HOST'] !== undefined) throw answered;
    say(answered.message);
    await startEngine(cacheDir, say);
  }
  await ensureSandboxImage(docker, cacheDir, say);
}

function say(line: string): void {
  console.error(`setup-docker: ${line}`);
}

try {
  await setupDocker();
} catch (cause) {
  const { message, hint } = cause as Error & { hint?: string };
  say(hint === undefined ? message : `${message} ${hint}`);
  process.exitCode = 1;
}
