/** What the host says when a model goes astray (PR36). */
export const NUDGES = {
  noAnswer: 'Your last reply held neither text nor a call. Give the answer now, or make the next call.',
  openJob: 'The job is open, and text without a call ends nothing: make the next call now, or submit what there is.',
  announced: 'Your last reply only announced what comes next. Give the answer now, or make the call.',
  repeated: 'The last calls were the same and brought the same result. If that did not help, try another way.',
  alternating:
    'The last eight calls took turns between the same two, and nothing changed. Do something else, or say what stands in the way.',
} as const;

export function repeatedNudge(call: string, times: number): string {
  return `This call was made ${times} times in a row with the same result: ${call}\nThe result will not change. Do something else, or say what stands in the way.`;
}

export function failedEditsNudge(path: string): string {
  return `The last three edits of ${path} failed. Read that region again before the next one; a file of fewer than 200 lines can be written whole with \`write\`.`;
}

export function budgetNudge(share: { spent: number; cap: number; limit: string }): string {
  return `${Math.floor(share.spent)} of ${share.cap} ${share.limit} of this job are used. Finish what is begun, or submit what holds.`;
}

export function budgetNudgeForText(share: { spent: number; cap: number; limit: string }): string {
  return `${Math.floor(share.spent)} of ${share.cap} ${share.limit} of this job are used. Finish what is begun, and give the answer with what holds.`;
}
