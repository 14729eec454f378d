import type { Misunderstood } from './parse-commands.ts';

/** The word of a line that is no command of ours; undefined where none stands there. Pure. */
export function writtenName({ line }: Pick<Misunderstood, 'line'>): string | undefined {
  return line === undefined ? undefined : /^\/(\S*)/.exec(line)?.[1];
}

/** Whether it is the command of a plugin. Pure. */
export function isPlugged(reading: Pick<Misunderstood, 'line'>, plugged: readonly string[]): boolean {
  const name = writtenName(reading);
  return name !== undefined && plugged.includes(name);
}
