const QUOTED = /^ {0,3}> ?/;

/** Parts what somebody quotes from what he says himself, by line. */
export function splitQuotes(body: string): { text: string; quoted: string } {
  const lines = body.split(/\r\n|\r|\n/);
  const quoted = lines.filter((line) => QUOTED.test(line)).map((line) => line.replace(QUOTED, ''));
  const own = lines.filter((line) => !QUOTED.test(line));
  return { text: own.join('\n').trim(), quoted: quoted.join('\n').trim() };
}
