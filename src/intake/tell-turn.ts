import { noteContent, steerContent } from '../bot/context/steer-content.ts';
import type { LiveTurn } from '../bot/job/live-turns.ts';
import { noteParked } from '../bot/session/note-parked.ts';
import { messageSource } from '../bot/session/turn-trigger.ts';
import { wasTold } from '../bot/session/was-told.ts';
import type { Handled } from '../handle-event.ts';
import type { Turn } from '../publish/progress/surface.ts';
import type { Intake } from '../triggers/intake.ts';
import type { Carrying } from './carrying.ts';
import { goOn, runTurn } from './run-turn.ts';

/** Told to the running turn, or kept for the one that waits. What was asked about a branch that moved is asked anew (N7). */
export async function note(intake: Extract<Intake, { kind: 'note' }>, carrying: Carrying): Promise<Handled> {
  await noteOnly(intake, carrying);
  const { people } = carrying.host.services;
  const outdated = intake.reading.what === 'push' ? await people?.outdatePlans(intake.session, carrying) : undefined;
  return outdated ? goOn(outdated, carrying) : { status: 'replied', why: 'noted' };
}

async function noteOnly(intake: Extract<Intake, { kind: 'note' }>, carrying: Carrying): Promise<void> {
  const { host, signal } = carrying;
  const { live, atDesk } = host.services;
  if (await isToldAlready(intake.reading.delivery, carrying)) return;
  const meta = { delivery: intake.reading.delivery };
  const context = { content: noteContent(intake), source: { kind: 'plugin', plugin: 'github' }, meta } as const;
  const running = live.of(intake.session);
  const reached = reaches(running, () => running?.inject(context.content, context.source, meta));
  if (running) carrying.queued();
  if (await reached) return;
  await atDesk(intake.session, signal, async ({ ctx, agent }) => {
    noteParked(agent.session, context);
    await ctx.sessions.flush(agent.session);
  });
}

/** Seen once it is in the log (S1). Where the turn ended meanwhile, it starts one as if it had come a moment later. */
export async function steer(intake: Extract<Intake, { kind: 'steer' }>, carrying: Carrying): Promise<Handled> {
  const { session, reading, permission } = intake;
  const { services } = carrying.host;
  const from = messageSource({ kind: 'turn', job: 'ask', request: '', reading, permission });
  const source = from.kind === 'github' ? { ...from, cause: reading.cause } : from;
  const running = services.live.of(session);
  if (await isToldAlready(reading.cause, carrying)) return seen(intake, carrying);
  const reached = reaches(running, () => running?.steer(steerContent(intake), source));
  // It has its place; a stop that comes behind it must not wait for the end of a long step.
  if (running) carrying.queued();
  if (!(await reached))
    return runTurn({ kind: 'turn', job: running?.job ?? 'ask', request: intake.text, permission, reading }, carrying);
  return seen(intake, carrying);
}

export async function seen(said: Turn | Extract<Intake, { kind: 'steer' }>, { surface }: Carrying): Promise<Handled> {
  await surface.accepted(said);
  return { status: 'replied', why: 'steered' };
}

/** Said rather than commanded: it steers where a turn runs. */
export function isSay({ reading }: Turn): boolean {
  return reading.kind === 'command' && reading.command.name === 'say';
}

/** By a process that was lost before it could end the delivery. */
export async function isToldAlready(by: string, { session, host }: Carrying): Promise<boolean> {
  const { sessions } = host.services;
  return (await sessions.has(session)) && wasTold(by, (await sessions.inspect(session)).events);
}

/** False where no turn runs, or ended meanwhile. */
async function reaches(running: LiveTurn | undefined, say: () => Promise<void> | undefined): Promise<boolean> {
  try {
    await say();
    return running !== undefined;
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'NOT_RUNNING') throw error;
    return false;
  }
}
