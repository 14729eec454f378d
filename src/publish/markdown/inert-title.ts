import { clip } from './clip.ts';
import { inertInline } from './inert-line.ts';

const MAX_CHARS = 120;

/**
 * A session's title as a line of ours shows it (session-title.md B2): it is kept as it was given, and mentions, refers to,
 * links and renders nothing here. Pure.
 */
export function inertTitle(title: string): string {
  return inertInline(clip(title, MAX_CHARS))
    .replaceAll('://', ':&#8203;//')
    .replaceAll(/\bwww\./gi, (start) => `${start.slice(0, 3)}&#8203;.`);
}
