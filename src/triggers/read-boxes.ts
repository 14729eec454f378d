import { ownBoxes } from '../publish/request/own-boxes.ts';

/** Places of the boxes of our comment that are ticked in `after` and were not in `before`; none where boxes came or went. Pure. */
export function newlyTicked(before: string, after: string): { ticked: number[]; checked: number[] } {
  const [old, now] = [ownBoxes(before), ownBoxes(after)];
  const places = old.length === now.length ? [...now.keys()] : [];
  return {
    ticked: places.filter((at) => now[at] && !old[at]),
    checked: places.filter((at) => now[at]),
  };
}
