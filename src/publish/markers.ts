/** Hidden marks by which our own writing is found again. They count only in what our own bot user wrote. */
export function jobMarker(session: string, cause: string): string {
  return `<!-- dsh:job ${session} ${cause} -->`;
}

export function sessionMarker(session: string): string {
  return `<!-- dsh:session ${session} -->`;
}

/** Marks the review that holds a change as suggestions. */
export function suggestionsMarker(session: string, treeSha: string): string {
  return `<!-- dsh:suggestions ${session} ${treeSha} -->`;
}

export function reviewMarker(session: string, headSha: string): string {
  return `<!-- dsh:review ${session} ${headSha} -->`;
}

/** Beside the review's own mark: which of the requests to review this head it answers. */
export function causeMarker(cause: string): string {
  return `<!-- dsh:cause ${cause} -->`;
}

/** In a review that looked only at the paths it was asked for: its head was not reviewed (R6). */
export const PART_MARKER = '<!-- dsh:part of-head -->';

/** In a review that nobody sees, by which GitHub is asked what comments it takes. */
export const DRAFT_MARKER = '<!-- dsh:draft ours -->';

/** In the comment of a finding, so that a later review knows its thread (R6). */
export function findingMarker(id: string): string {
  return `<!-- dsh:finding ${id} -->`;
}

/** Marks the short answers of the host: to a refusal, to a misunderstood line, to `help`; one for each command of a comment. */
export function replyMarker(cause: string, nth: number): string {
  return `<!-- dsh:reply ${cause} ${nth} -->`;
}

/** One refusal per person and subject, however often they ask. */
export function refusalMarker(actorId: number): string {
  return `<!-- dsh:refusal ${actorId} -->`;
}

/** In the one comment that asks people something (A1, Q1). */
export function requestMarker(id: string): string {
  return `<!-- dsh:request ${id} -->`;
}

/** In code a comment stays as it was written, so that somebody else's words could bear a mark there. It looks the same. Pure. */
export function withoutMarks(text: string): string {
  return text.replaceAll(/<!--(?=\s*dsh:)/g, '<!--\u200b');
}
