/** `bot:sandbox` where the work tree can be written. */
export const SANDBOX_WRITABLE = `The container: the work tree is at the start commit; the tree and /tmp can be written, the rest cannot. \`bash\` says what the network allows. Git can be read (status, log, diff, blame, show) but not written: after you finish, the host runs the project's tests, commits, pushes and opens the pull request. Limits of time, memory and output end a command and say so.`;

/** `bot:sandbox` of a job that only reads. */
export const SANDBOX_READ_ONLY = `The container: the work tree is at the commit under discussion and cannot be written; copy what you need to change or run to a folder below /tmp. \`bash\` says what the network allows. Git can be read (log, diff, blame, show) but not written. The host publishes what you report. Limits of time, memory and output end a command and say so.`;
