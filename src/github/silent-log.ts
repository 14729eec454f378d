/** Octokit writes to the console by default, failed requests with their URLs among it. */
export const silentLog = { debug: ignore, info: ignore, warn: ignore, error: ignore };

function ignore(): void {}
