import type Docker from 'dockerode';
import { Context } from './harness/kernel/context.ts';
import type { Plugin } from './harness/kernel/context.ts';
import { agentLoop } from './harness/agent/agent-loop.ts';
import { agents } from './harness/agent/registry.ts';
import { llm } from './harness/llm/llm-service.ts';
import { llmRetry } from './harness/llm/llm-retry.ts';
import { scopeInvariants } from './harness/scope/scope-invariants.ts';
import { sessionStore } from './harness/session/session-store.ts';
import { systemPrompt } from './harness/system-prompt/system-prompt.ts';
import { TOOL_ORDER_REST } from './harness/system-prompt/types.ts';
import { timeoutPolicy } from './harness/tools/timeout-policy.ts';
import { tools } from './harness/tools/tools.ts';
import type { Room, RoomOptions } from './bot/run-job.ts';
import { JOB_TOOLS } from './bot/prompts/sections.ts';
import { openSandbox } from './docker/open-sandbox.ts';
import type { Models } from './models/create-models.ts';
import type { Redactor } from './publish/redact.ts';
import { bashEnvPlugin } from './seams/bash/bash-env.ts';
import { bashTool } from './seams/bash/bash-tool.ts';
import { editTool } from './seams/filesystem/edit-tool.ts';
import { globTool } from './seams/filesystem/glob-tool.ts';
import { grepTool } from './seams/filesystem/grep-tool.ts';
import { readBeforeWrite } from './seams/filesystem/read-before-write.ts';
import { readTool } from './seams/filesystem/read-tool.ts';
import { writeTool } from './seams/filesystem/write-tool.ts';
import { sandboxPolicyPlugin } from './seams/sandbox/sandbox-policy.ts';
import { todoTool } from './seams/todo/todo-tool.ts';
import { checkpointPolicy } from './store/checkpoint-policy.ts';
import { jsonlPersistence } from './store/jsonl/jsonl-persistence.ts';

export interface RoomParts {
  readonly docker: Docker;
  readonly image: string;
  readonly logRoot: string;
  readonly models: Models;
  readonly plugins: readonly Plugin<void>[];
  readonly redactor: Redactor;
  readonly log: (message: string, error?: unknown) => void;
}

/** The path of the work tree inside the container: constant, so that a session resumes anywhere. */
export const WORKSPACE = '/workspace';

const WORKER_BOOT = `${process.pid}-${Date.now().toString(36)}`;

/**
 * Gives a session a kernel of its own: services, tools and sandbox of one repository never meet another's. The container
 * starts while the first request is on its way; tools wait for it.
 */
export async function openRoom(options: RoomOptions, parts: RoomParts): Promise<Room> {
  const root = new Context();
  try {
    await mountCore(root, options, parts);
    await mountTools(root, options);
    for (const plugin of parts.plugins) await root.plugin(plugin);
    const handle = await openAgent(root, options);
    return { ctx: root, handle, close: () => closeRoom(root, handle) };
  } catch (error) {
    await root.fiber.dispose();
    throw error;
  }
}
