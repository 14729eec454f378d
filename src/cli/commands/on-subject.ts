import type { Handled } from '../../handle-event.ts';
import { DshError } from '../../errors.ts';
import type { CommandName } from '../../triggers/command-table.ts';
import { askingHere } from '../asking-here.ts';
import { exitCodeOf } from '../exit-code.ts';
import { handledDocument } from '../handled-document.ts';
import { readIdentity } from '../identity.ts';
import { interruptedBefore, interruptionOf } from '../interruption.ts';
import { checkModelFlag } from '../model-flag.ts';
import type { Output } from '../output.ts';

export interface SubjectFlags {
  readonly json?: boolean;
  readonly dryRun?: boolean;
  readonly model?: string;
  readonly sarif?: string;
}

/** A command on an issue or a pull request. Returns the exit code. */
export async function onSubject(
  command: CommandName,
  url: string,
  text: string,
  flags: SubjectFlags,
  output: Output,
): Promise<number> {
  if (command === 'ask' && text.trim() === '') {
    throw new DshError('The question is empty.', 'USAGE', 'Write dsh ask <URL> and what you want to know.');
  }
  const inputs = flags.model === undefined ? {} : { model: checkModelFlag(flags.model) };
  const [{ openHost }, { runOnSubject }] = await Promise.all([
    import('../open-host.ts'),
    import('../run-on-subject.ts'),
  ]);
  const signal = interruptionOf(output);
  const host = await openHost(process.env, output.log);
  const call = { command, url, text, dryRun: flags.dryRun ?? false };
  const asking = askingHere(flags.json ?? false);
  const handled = await runOnSubject(call, { ...host, inputs, say: output.say, signal, asking })
    .catch((error: unknown) => {
      throw signal.aborted ? interruptedBefore(error) : error;
    })
    .finally(() => host.bot.close());
  output.result(handled.map(handledDocument));
  if (flags.sarif !== undefined) await writeSarifOf(handled, flags.sarif);
  return exitCodeOf(handled);
}

async function writeSarifOf(handled: readonly Handled[], file: string): Promise<void> {
  const { writeSarif } = await import('../write-sarif.ts');
  const outcomes = handled.map(({ outcome }) => outcome);
  await writeSarif(outcomes, file, readIdentity().version);
}
