import type { Handled } from '../handle-event.ts';

/** What became of an event, as `--json` prints it. Pure. */
export function handledDocument({ status, why, outcome, problem }: Handled) {
  return { status, ...(why && { why }), ...(outcome && { ...outcome }), ...(problem && { problem }) };
}
