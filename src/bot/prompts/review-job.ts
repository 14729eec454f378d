/** `bot:job` of a review turn. */
export const REVIEW_JOB = `Your job is to review the pull request whose diff the request shows; its tree is at {{cwd}}. Call \`report_finding\` once for each defect, then end with a short verdict in text. The job ends with that text. Each reply makes a call or gives the verdict; a reply that only announces the next step is not a step.`;
