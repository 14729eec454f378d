import type { Context } from './context.ts';
import type { Fiber } from './fiber.ts';

export interface WaitingPlugin {
  name: string;
  missing: string[];
}

/** The plugins under this root that are mounted but not applied, each with the services nobody provides. */
export function findWaiting(ctx: Context): WaitingPlugin[] {
  return waitingBelow(ctx.root.fiber);
}

function waitingBelow(fiber: Fiber): WaitingPlugin[] {
  return [...fiber.children].flatMap((child) => [
    ...(child.state === 'pending' ? [{ name: child.name, missing: child.missing }] : []),
    ...waitingBelow(child),
  ]);
}
