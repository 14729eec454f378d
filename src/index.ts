/**
 * `dsh-github` as a library: build a bot of your own, or add to ours. The vocabulary of each part is exported by its
 * subpath (`dsh-github/llm`, `/session`, `/agent`, `/tools`, …), so that its open maps can be merged into.
 */
export { createBot } from './create-bot.ts';
export type { Bot, BotOptions } from './create-bot.ts';
export { handleEvent } from './handle-event.ts';
export type { Handled, Host } from './handle-event.ts';
export { openAccess } from './repository-access.ts';
export { serveApp } from './app.ts';
export { DshError } from './errors.ts';
export type { JobOutcome, JobRequest, Produced, Problem, RepositoryAccess } from './bot/job.ts';
export type { GitHubEvent, Reading } from './triggers/reading.ts';
export type { Surface } from './publish/surface.ts';
export { readEnv } from './config/env.ts';
export { Context } from './harness/kernel/context.ts';
export type { Plugin } from './harness/kernel/context.ts';
