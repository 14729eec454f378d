import type { JobRequest } from '../bot/job/job.ts';
import type { Host } from '../handle-event.ts';
import { isAnswer } from '../intake/answers-on-github.ts';
import type { Reading } from '../triggers/reading.ts';

/**
 * What a run takes of the comments that it looks at, and what it leaves to the runs which they start. Whoever decides a
 * command takes all of its comment (T5), so only what is carried out here may be decided here.
 */
export class PolledComments {
  /** As the run's own, but for causes that are not to be taken. */
  readonly host: Host;
  /** Comments for a turn that has yet to begin. */
  readonly tooEarly: number[] = [];
  readonly #job: JobRequest;
  readonly #shared = new Set<string>();

  constructor(job: JobRequest, host: Host) {
    this.#job = job;
    const { causes } = host.services.records;
    this.host = {
      ...host,
      causeTaken: async (session, reading, access) =>
        this.#shared.has(reading.cause)
          ? (await causes.holder(reading.repo.id, reading.cause)) !== undefined
          : host.causeTaken(session, reading, access),
    };
  }

  /** Of a comment that also starts a turn only `stop`, which may be said twice, is heard at once. */
  isWanted(reading: Reading, ofComment: readonly Reading[]): boolean {
    if (reading.kind === 'ignore' || !isForRun(reading)) return false;
    if (!ofComment.every(isForRun)) {
      this.#shared.add(reading.cause);
      return isSaid(reading, 'stop');
    }
    if (!isSaid(reading, 'say') || this.host.services.live.of(this.#job.session)) return true;
    if (reading.comment?.place.kind === 'issue-comment') this.tooEarly.push(reading.comment.place.id);
    return false;
  }
}

function isForRun(reading: Reading): boolean {
  return isAnswer(reading) || isSaid(reading, 'say') || isSaid(reading, 'stop');
}

function isSaid(reading: Reading, name: 'say' | 'stop'): reading is Extract<Reading, { kind: 'command' }> {
  return reading.kind === 'command' && reading.command.name === name;
}
