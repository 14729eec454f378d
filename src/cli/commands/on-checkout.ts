import { exitCodeOf } from '../exit-code.ts';
import { handledDocument } from '../handled-document.ts';
import { interruptedBefore, interruptionOf } from '../interruption.ts';
import { checkModelFlag } from '../model-flag.ts';
import type { Output } from '../output.ts';

/** A task on the git checkout of this folder. Returns the exit code. */
export async function onCheckout(task: string, flags: { readonly model?: string }, output: Output): Promise<number> {
  const inputs = flags.model === undefined ? {} : { model: checkModelFlag(flags.model) };
  const [{ openHost }, { fixLocal }] = await Promise.all([import('../open-host.ts'), import('../fix-local.ts')]);
  const signal = interruptionOf(output);
  const { bot, operator } = await openHost(process.env, output.log);
  try {
    const options = { bot, operator, inputs, folder: process.cwd(), say: output.say, signal };
    const outcome = await fixLocal(task, options).catch((error: unknown) => {
      throw signal.aborted ? interruptedBefore(error) : error;
    });
    const handled = [{ status: outcome.status, outcome }];
    output.result(handled.map(handledDocument));
    return exitCodeOf(handled);
  } finally {
    await bot.close();
  }
}
