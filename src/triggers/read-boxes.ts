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

/** Whether more of our comment was edited than its boxes: then it does not show any longer what was asked. Pure. */
export function isAltered(before: string, after: string): boolean {
  return withoutTicks(before) !== withoutTicks(after);
}

/** A form of the browser writes line ends of its own. */
function withoutTicks(body: string): string {
  return body
    .replaceAll('\r\n', '\n')
    .replaceAll(/^- \[[ xX]\] /gm, '- [ ] ')
    .trim();
}
