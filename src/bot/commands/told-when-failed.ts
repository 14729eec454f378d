import { statusOf } from '../../github/request-hook.ts';
import { isHarnessError } from '../../harness/llm/errors.ts';
import type { SessionId } from '../../harness/session/types.ts';
import { makeInert } from '../../publish/markdown/inert.ts';
import type { CommandResult } from '../../seams/commands/types.ts';
import { leavesWork } from '../job/handed-back.ts';
import type { BotServices, Place } from '../job/services.ts';
import { problemOf } from '../telling/problem.ts';
import type { CommandTexts } from './command-texts.ts';
import { failure } from './human-command.ts';

export interface Commanded {
  readonly command: string;
  readonly session: SessionId;
  readonly place: Pick<Place, 'signal'>;
  readonly services: Pick<BotServices, 'log' | 'redact'>;
  readonly texts: Pick<CommandTexts, 'cutShort'>;
  /** Milliseconds; the session's next event waits for it. */
  readonly deadlineMs?: number;
}

/** Shortening what a model remembers asks the model; nothing else takes long. */
const DEADLINE_MS = 10 * 60_000;

/**
 * What a command failed with is told to whoever gave it, but for that after which its delivery is worked again; one that takes
 * too long is cut short, by the signal it gets.
 */
export async function toldWhenFailed<T extends CommandResult | undefined>(
  { command, session, place, services, texts, deadlineMs = DEADLINE_MS }: Commanded,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T | CommandResult> {
  const deadline = AbortSignal.timeout(deadlineMs);
  try {
    return await work(AbortSignal.any([place.signal, deadline]));
  } catch (error) {
    const isGitHubDown = !isHarnessError(error) && (statusOf(error) ?? 0) >= 500;
    if (place.signal.aborted || leavesWork(error) || isGitHubDown) throw error;
    if (deadline.aborted) return failure(texts.cutShort);
    services.log(`/dsh ${command} in ${session} failed`, error);
    const { message, hint } = problemOf(error);
    return failure(makeInert(services.redact([message, ...(hint ? [hint] : [])].join('\n\n'))));
  }
}
