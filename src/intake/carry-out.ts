import { answerCommand } from '../bot/commands/answer-command.ts';
import { answerPlugged, tryPlugged } from '../bot/commands/plugged-command.ts';
import { endSession } from '../bot/session/end-session.ts';
import type { Handled } from '../handle-event.ts';
import type { CommandResult } from '../seams/commands/types.ts';
import type { Intake } from '../triggers/intake.ts';
import type { ReadSubject } from '../triggers/reading.ts';
import type { Carrying } from './carrying.ts';
import { goOn, reviewNewest, runTurn } from './run-turn.ts';
import { isSay, isToldAlready, note, seen, steer } from './tell-turn.ts';
import { whyNoReview } from './unasked-review.ts';

/** Does what was decided. */
export async function carryOut(intake: Intake, carrying: Carrying): Promise<Handled> {
  const { surface, host } = carrying;
  if (intake.kind === 'ignore') return { status: 'ignored', why: intake.why };
  switch (intake.kind) {
    case 'refuse':
      await surface.refused(intake);
      return { status: 'refused', why: intake.why };
    case 'reply':
      await surface.replied({ ...intake, text: (await pluginAnswer(intake, carrying)) ?? intake.text });
      return { status: 'replied' };
    case 'command':
      return say(await answerCommand(intake, carrying, host.services), intake.reading, carrying);
    case 'plugged':
      return say(await answerPlugged(intake, carrying, host.services), intake.reading, carrying);
    case 'answer':
      return answer(intake, carrying);
    case 'turn': {
      if (isSay(intake) && (await isToldAlready(intake.reading.cause, carrying))) return seen(intake, carrying);
      const why = await whyNoReview(intake, carrying);
      if (why === undefined) return runTurn(intake, carrying);
      return (why === 'superseded' && (await reviewNewest(intake, carrying))) || { status: 'ignored', why };
    }
    case 'steer':
      return steer(intake, carrying);
    case 'note':
      return note(intake, carrying);
    case 'end': {
      const ended = await endSession(intake, carrying, host.services);
      return ended > 0 ? { status: 'replied', why: intake.why } : { status: 'ignored', why: 'nothing-to-end' };
    }
  }
}

/** What a plugin of the running agent alone answers to a command that is none of ours (commands.md, C9). */
async function pluginAnswer(
  { line, reading }: Extract<Intake, { kind: 'reply' }>,
  carrying: Carrying,
): Promise<string | undefined> {
  const { session, host } = carrying;
  const running = line === undefined ? undefined : host.services.live.of(session);
  const isWritten = reading.kind === 'misunderstood';
  if (!running || !isWritten) return undefined;
  const result = await tryPlugged({ kind: 'plugged', line: line!, session, reading }, carrying, host.services);
  return result && (result.text ?? 'Done.');
}

/** A settled request is told at once; the parked turn that it lets go on is waited for like any other. */
async function answer(intake: Extract<Intake, { kind: 'answer' }>, carrying: Carrying): Promise<Handled> {
  const answered = await carrying.host.services.people?.settle(intake, carrying);
  if (answered && !answered.say && intake.how !== 'box') await carrying.surface.counted(intake);
  const told = await say(answered?.say, intake.reading, carrying);
  return answered?.wakes ? goOn(answered.wakes, carrying) : told;
}

/** An answer of ours goes where the words stand; a tick is answered by what becomes of the question. */
async function say(result: CommandResult | undefined, reading: ReadSubject, { surface }: Carrying): Promise<Handled> {
  const isWritten = reading.kind === 'command' || reading.kind === 'misunderstood' || reading.kind === 'remark';
  if (result && !result.text && isWritten) await surface.counted({ reading });
  if (result?.text && isWritten) await surface.replied({ kind: 'reply', text: result.text, reading });
  return { status: 'replied' };
}
