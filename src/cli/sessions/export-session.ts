import { writeFile } from 'node:fs/promises';
import { DshError } from '../../errors.ts';
import { foldSessionTitle } from '../../seams/session-title/fold-title.ts';
import { renderTranscript } from '../../store/render-transcript.ts';
import { transcriptPage } from '../../store/transcript-page.ts';
import { EXIT } from '../exit-code.ts';
import { jsonText } from '../json-text.ts';
import type { SessionOutput } from './list-sessions.ts';
import { knownSession, withSessionQuery } from './open-session-query.ts';
import type { Variables } from './open-session-query.ts';
import { readTranscript } from './read-transcript.ts';
import type { StoredTranscript } from './read-transcript.ts';

export const EXPORT_FORMATS = ['jsonl', 'md', 'html'] as const;
export interface ExportFlags {
  readonly format: (typeof EXPORT_FORMATS)[number];
  /** Where to write it; the standard output without it. */
  readonly output?: string;
}

/**
 * `jsonl`: one JSON document a line, the header, then every event, as they are stored. `md` and `html`: what people
 * read, without secrets.
 */
export async function exportSession(
  id: string,
  { format, output: file }: ExportFlags,
  variables: Variables,
  output: SessionOutput,
): Promise<number> {
  const text = await withSessionQuery(variables, async (stored) =>
    render(await readTranscript(await knownSession(id, stored), stored, variables), format),
  );
  if (file === undefined) output.say(text.trimEnd());
  else await write(file, text);
  output.result({ session: id, format, file: file ?? null });
  return EXIT.done;
}

function render({ meta, events, options }: StoredTranscript, format: ExportFlags['format']): string {
  switch (format) {
    case 'jsonl':
      return [{ type: 'session', ...meta }, ...events].map((line) => `${jsonText(line)}\n`).join('');
    case 'md':
      return renderTranscript(events, options);
    case 'html':
      return transcriptPage({ header: meta, events, title: foldSessionTitle(events)?.title, ...options });
  }
}

/** Never over a file that is there. */
async function write(file: string, text: string): Promise<void> {
  try {
    await writeFile(file, text, { flag: 'wx', mode: 0o600 });
  } catch (cause) {
    const exists = (cause as { code?: string }).code === 'EEXIST';
    const message = exists ? `${file} exists and was left as it is.` : `${file} cannot be written.`;
    throw new DshError(message, 'USAGE', 'Name another file with --output.', { cause });
  }
}
