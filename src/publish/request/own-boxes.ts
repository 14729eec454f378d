/**
 * Whether each task-list box of a comment of ours is ticked, in order. We write boxes at the start of lines and everything
 * of others inside code blocks or escaped, so that no parser is needed, which might find such a text too dense.
 */
export function ownBoxes(body: string): boolean[] {
  const boxes: boolean[] = [];
  let fence: string | undefined;
  for (const line of body.split(/\r?\n/)) {
    const [, ticks] = /^(`{3,})/.exec(line) ?? [];
    if (fence !== undefined) {
      if (line === fence) fence = undefined;
    } else if (ticks !== undefined) fence = ticks;
    else if (/^- \[[ xX]\] /.test(line)) boxes.push(line[3] !== ' ');
  }
  return boxes;
}
