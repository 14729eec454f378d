/** The cause of the fix that carries out the plan which this cause asked for: its own (T5), and yet its doing. Pure. */
export function approvedCause(cause: string): string {
  return `${cause}${APPROVED}`;
}

/** The cause of the run of a goal that follows this one's, by the standing permission that its command gave. Pure. */
export function nextRunCause(cause: string): string {
  return `${firstCause(cause)}${RUN}${runOf(cause) + 1}`;
}

/** Which further run it is; 0 is the one that was commanded. Pure. */
export function runOf(cause: string): number {
  return Number(FURTHER.exec(cause)?.[1] ?? 0);
}

/** Whether a turn is this cause's doing: begun by it, carrying out its plan, or a further run of its goal. Pure. */
export function comesFrom(turnCause: string, cause: string): boolean {
  return turnCause === cause || turnCause === approvedCause(cause) || firstCause(turnCause) === cause;
}

function firstCause(cause: string): string {
  return cause.replace(FURTHER, '');
}

const APPROVED = '-approved';
const RUN = '-run-';
const FURTHER = /-run-([1-9]\d*)$/;
