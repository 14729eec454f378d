import * as z from 'zod';

/** An agent that starts with the loop. `sessionId` resumes what is stored, or creates; `resumeSessionId` must be stored. */
const ConfiguredAgent = z
  .strictObject({
    id: z.string().min(1),
    provider: z.string().min(1).optional(),
    model: z.string().min(1).optional(),
    cwd: z.string().optional(),
    sessionId: z.string().min(1).optional(),
    resumeSessionId: z.string().min(1).optional(),
  })
  .refine((agent) => agent.sessionId === undefined || agent.resumeSessionId === undefined, {
    error: 'sessionId and resumeSessionId exclude each other',
  });
export type ConfiguredAgent = z.infer<typeof ConfiguredAgent>;

export const AgentLoopConfig = z.strictObject({
  /** How many bodies of parallel tool calls may run at once. */
  maxParallelToolCalls: z.int().positive().default(10),
  agents: z
    .array(ConfiguredAgent)
    .default([])
    .refine((agents) => new Set(agents.map(sessionIdOf)).size === agents.length, {
      error: 'two agents name the same session',
    }),
});

export function sessionIdOf({ id, sessionId, resumeSessionId }: ConfiguredAgent): string {
  return resumeSessionId ?? sessionId ?? id;
}
