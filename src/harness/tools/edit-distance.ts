/** How many single-character changes lie between two short texts. */
export function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) row = nextRow(row, a[i - 1]!, b, i);
  return row[b.length]!;
}

function nextRow(above: number[], char: string, b: string, first: number): number[] {
  const row = [first];
  for (let j = 1; j <= b.length; j += 1) {
    const swap = above[j - 1]! + (char === b[j - 1] ? 0 : 1);
    row.push(Math.min(swap, above[j]! + 1, row[j - 1]! + 1));
  }
  return row;
}
