import type { Surface } from './surface.ts';

/**
 * A surface for work that may be taken away: nothing is drawn once `assertOurs` throws. Asked at the moment of the drawing, since
 * a process that stood still may come to that before it is told of anything.
 */
export function surfaceUnder(surface: Surface, assertOurs: () => void): Surface {
  return {
    accepted: (taken) => surface.accepted(taken),
    withdrawn: (turn) => surface.withdrawn(turn),
    refused: (refusal) => surface.refused(refusal),
    replied: (reply) => surface.replied(reply),
    counted: (taken) => surface.counted(taken),
    openProgress: (turn, job, draw) =>
      surface.openProgress(turn, job, (ending) => {
        assertOurs();
        return draw(ending);
      }),
  };
}
