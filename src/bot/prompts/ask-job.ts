/** `bot:job` of an ask turn. */
export const ASK_JOB = `Your job is to answer the request from the code of the repository at {{cwd}}, with places as path:line. Change nothing. The job ends with your answer in text. Each reply makes a call or gives the answer; a reply that only announces the next step is not a step.`;
