import { createInterface } from 'node:readline/promises';
import type { Terminal } from '../bot/people/ask/terminal.ts';
import { printable } from './printable.ts';

/** The person in front of this process; undefined where there is none, or only documents are read. */
export function processTerminal(isJson: boolean): Terminal | undefined {
  const { stdin, stdout } = process;
  if (isJson || !stdin.isTTY || !stdout.isTTY) return undefined;
  return {
    say: (line) => void stdout.write(`${printable(line)}\n`),
    ask: async (prompt, signal) => {
      const lines = createInterface({ input: stdin, output: stdout });
      try {
        return await lines.question(prompt, { signal });
      } finally {
        lines.close();
      }
    },
  };
}
