const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/**
 * The five fields of a cron expression, in UTC, for something that is due every so many minutes, hours or days. What is
 * due each hour or day comes at a minute that its name decides, so that not everything comes at once. A time that does
 * not divide an hour or a day is the next shorter one that does.
 */
export function cronOf(everyMs: number, name: string): string {
  const minute = [...name].reduce((sum, character) => (sum * 31 + character.charCodeAt(0)) % 60, 0);
  if (everyMs < HOUR_MS) return `*/${divisorUpTo(everyMs / MINUTE_MS, 60)} * * * *`;
  if (everyMs < DAY_MS) return `${minute} */${divisorUpTo(everyMs / HOUR_MS, 24)} * * *`;
  return `${minute} 3 * * *`;
}

function divisorUpTo(most: number, whole: number): number {
  let divisor = Math.max(1, Math.floor(most));
  while (whole % divisor !== 0) divisor -= 1;
  return divisor;
}
