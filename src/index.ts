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
export type { AppOptions, RunningApp } from './app.ts';
export { DshError } from './errors.ts';
export type { JobOutcome, JobRequest, Produced, Problem, RepositoryAccess } from './bot/job/job.ts';
export type { GitHubEvent, IgnoreReason, JobKind, Reading } from './triggers/reading.ts';
export type { EventReader } from './triggers/read-event.ts';
export type { TriggerConfig } from './triggers/trigger-config.ts';
export { PAYLOADS } from './triggers/payload.ts';
export { placeOf } from './triggers/place-of.ts';
export type { EventPlace } from './triggers/place-of.ts';
export type { Surface } from './publish/progress/surface.ts';
export { readEnv } from './config/env.ts';
export type { Env } from './config/env.ts';
export type { ConfigFile } from './config/config-file.ts';
export type { Config } from './config/config.ts';
export { Context } from './harness/kernel/context.ts';
export type { Plugin } from './harness/kernel/context.ts';
