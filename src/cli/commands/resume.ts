import { readAnswerFlags } from '../answer-flags.ts';
import type { AnswerFlags } from '../answer-flags.ts';
import { askingHere } from '../asking-here.ts';
import { exitCodeOf } from '../exit-code.ts';
import { handledDocument } from '../handled-document.ts';
import { interruptionOf } from '../interruption.ts';
import type { Output } from '../output.ts';

export interface ResumeFlags extends AnswerFlags {
  readonly json?: boolean;
}

/** Goes on with a session that waits for a person. Returns the exit code. */
export async function resume(session: string, flags: ResumeFlags, output: Output): Promise<number> {
  const value = readAnswerFlags(flags);
  const [{ openHost }, { resumeSession }] = await Promise.all([
    import('../open-host.ts'),
    import('../resume-session.ts'),
  ]);
  const signal = interruptionOf(output);
  const host = await openHost(process.env, output.log);
  const asking = askingHere(flags.json ?? false);
  const handled = await resumeSession(
    { session, value },
    { ...host, inputs: {}, say: output.say, signal, asking },
  ).finally(() => host.bot.close());
  output.result(handled.map(handledDocument));
  return exitCodeOf(handled);
}
