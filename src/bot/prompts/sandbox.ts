/** `bot:sandbox` where the work tree can be written. */
export const SANDBOX_WRITABLE = `The container: the work tree is at the start commit; the tree and /tmp can be written, the rest cannot. \`bash\` says what the network allows. After you finish, the host runs the project's tests, commits, pushes and publishes. Limits of time, memory and disk end a command and say so.`;

/** `bot:sandbox` of a job that only reads. */
export const SANDBOX_READ_ONLY = `The container: the work tree is at the commit under discussion and cannot be written; /tmp can. \`bash\` says what the network allows. The host publishes what you report. Limits of time, memory and disk end a command and say so.`;
