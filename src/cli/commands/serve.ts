import { EXIT } from '../exit-code.ts';
import { interruptionOf } from '../interruption.ts';
import { openHost } from '../open-host.ts';
import type { Output } from '../output.ts';

/** Serves the App until it is interrupted. Returns the exit code. */
export async function serve(output: Output): Promise<number> {
  const host = await openHost(process.env, output.log);
  const { serveFromEnvironment } = await import('../serve.ts');
  await serveFromEnvironment(host, output, interruptionOf(output)).finally(() => host.bot.close());
  return EXIT.done;
}
