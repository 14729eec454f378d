/** Columns of text under headings, the last of which may be any length. Pure. */
export function table(headings: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const lines = [headings, ...rows];
  const widths = headings.map((_heading, column) => Math.max(...lines.map((cells) => widthOf(cells[column]))));
  return lines.map((cells) =>
    cells
      .map((cell, column) => (column === cells.length - 1 ? oneLine(cell) : oneLine(cell).padEnd(widths[column]!)))
      .join('  ')
      .trimEnd(),
  );
}

function widthOf(cell = ''): number {
  return oneLine(cell).length;
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ');
}
