/** Hidden marks by which our own writing is found again. They count only in what our own bot user wrote. */
export function jobMarker(session: string, cause: string): string {
  return `<!-- dsh:job ${session} ${cause} -->`;
}

export function sessionMarker(session: string): string {
  return `<!-- dsh:session ${session} -->`;
}

export function reviewMarker(session: string, headSha: string): string {
  return `<!-- dsh:review ${session} ${headSha} -->`;
}

/** Marks the short answers of the host: to a refusal, to a misunderstood line, to `help`; one for each command of a comment. */
export function replyMarker(cause: string, nth: number): string {
  return `<!-- dsh:reply ${cause} ${nth} -->`;
}

/** One refusal per person and subject, however often they ask. */
export function refusalMarker(actorId: number): string {
  return `<!-- dsh:refusal ${actorId} -->`;
}
