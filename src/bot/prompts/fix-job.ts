/** `bot:job` of a fix turn. */
export const FIX_JOB = `Your job is to make the change that the request asks for, in the repository at {{cwd}}, so that a maintainer would merge it.

The job is open until a call of \`submit_result\` is accepted. Nobody watches while you work, so a reply without a tool call achieves nothing. Each reply makes a call or finishes the job; a reply that only announces the next step is not a step. Narration between calls is not needed.`;
