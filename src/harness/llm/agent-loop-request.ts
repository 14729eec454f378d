import type { GenerateOptions } from './types.ts';

const loopRequests = new WeakSet<GenerateOptions>();

/** Marks, by identity, the one request object the loop built from the log. Listeners treat it as read-only. */
export function markAgentLoopRequest(options: GenerateOptions): GenerateOptions {
  loopRequests.add(options);
  return options;
}

/** False for copies and for auxiliary calls such as a summary or a title. */
export function isAgentLoopRequest(options: GenerateOptions): boolean {
  return loopRequests.has(options);
}
