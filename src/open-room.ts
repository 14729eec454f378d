import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type Docker from 'dockerode';
import { Context } from './harness/kernel/context.ts';
import type { Plugin } from './harness/kernel/context.ts';
import type { AgentHandle } from './harness/agent/types.ts';
import { agentLoop } from './harness/agent/agent-loop.ts';
import { agents } from './harness/agent/registry.ts';
import { llm } from './harness/llm/llm-service.ts';
import { chunkValidator } from './harness/llm/chunk-validator.ts';
import { llmRetry } from './harness/llm/llm-retry.ts';
import { scopeInvariants } from './harness/scope/scope-invariants.ts';
import { sessionStore } from './harness/session/session-store.ts';
import { systemPrompt } from './harness/system-prompt/system-prompt.ts';
import { TOOL_ORDER_REST } from './harness/system-prompt/types.ts';
import { timeoutPolicy } from './harness/tools/timeout-policy.ts';
import { tools } from './harness/tools/tools.ts';
import type { Room, RoomOptions } from './bot/room.ts';
import { JOB_TOOLS } from './bot/prompts/sections.ts';
import { mountHooks } from './mount-hooks.ts';

import { SPILL_FOLDER } from './docker/container-options.ts';
import { RequestLog } from './docker/egress/request-log.ts';
import { openSandbox } from './docker/open-sandbox.ts';
import type { Sandbox } from './docker/sandbox.ts';
import { dockerSandboxPlugin } from './docker/docker-sandbox-plugin.ts';
import { DEFAULT_SANDBOX_IMAGE } from './docker/default-image.ts';
import { OUTPUT_RETRIES } from './models/guard-output.ts';
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
import { localSpill } from './seams/spill/local-spill.ts';
import { spillPolicy } from './seams/spill/spill-policy.ts';
import { todoTool } from './seams/todo/todo-tool.ts';
import { sandboxLimits } from './sandbox-limits.ts';
import { checkpointPolicy } from './store/checkpoint-policy.ts';

export interface RoomParts {
  readonly docker: Docker;
  readonly image: string;
  /** Stores the session's log. */
  readonly persistence: Plugin<void>;
  /** Holds one directory a session, which outlives the job: the log goes on naming what is in it. */
  readonly spillRoot: string;
  /** Where the sockets of network proxies are made; like the work trees, it must be one that the engine sees. */
  readonly socketFolder: string;
  readonly models: Models;
  readonly plugins: readonly Plugin<void>[];
  readonly redactor: Redactor;
  readonly log: (message: string, error?: unknown) => void;
}

/** The path of the work tree inside the container: constant, so that a session resumes anywhere. */
export const WORKSPACE = '/workspace';

/** Largest tool result, in bytes, that the model gets whole. */
const MAX_INLINE_BYTES = 24 * 1024;

export const WORKER_BOOT = `${process.pid}-${Date.now().toString(36)}`;

/**
 * Gives a session a kernel of its own: services, tools and sandbox of one repository never meet another's. The container
 * starts while the first request is on its way; tools wait for it.
 */
export async function openRoom(options: RoomOptions, parts: RoomParts): Promise<Room> {
  const root = new Context();
  const spillDir = join(parts.spillRoot, options.session);
  await mkdir(spillDir, { recursive: true, mode: 0o700 });
  const requests = new RequestLog();
  const sandbox = startSandbox(options, { spillDir, requests, ...parts });
  const closeSandbox = async () => (await sandbox.catch(() => undefined))?.close();
  try {
    await mountCore(root, options, parts);
    await mountSandbox(root, options, { sandbox, spillDir, requests, ...parts });
    await mountTools(root, options, parts);
    await mountHooks(root, options);
    for (const plugin of parts.plugins) await root.plugin(plugin, undefined);
    const handle = await openAgent(root, options);
    return { ctx: root, handle, close: () => closeRoom(root, handle, closeSandbox) };
  } catch (error) {
    await root.fiber.dispose();
    await closeSandbox();
    throw error;
  }
}

async function mountCore(root: Context, { kind }: RoomOptions, parts: RoomParts): Promise<void> {
  root.on('kernel/error', (error, origin) => parts.log(`${origin} failed`, error));
  await root.plugin(scopeInvariants);
  await root.plugin(sessionStore);
  await root.plugin(parts.persistence, undefined);
  await root.plugin(systemPrompt, { toolOrder: [...JOB_TOOLS[kind], TOOL_ORDER_REST] });
  await root.plugin(tools);
  await root.plugin(llm);
  for (const [provider, adapter] of parts.models.routes) root.llm.registerAdapter([provider], adapter);
  await root.plugin(chunkValidator);
  await root.plugin(llmRetry, { maxRetries: 5, maxDelayMs: 60_000 });
  for (const retries of OUTPUT_RETRIES) await root.plugin(llmRetry, retries);
  await root.plugin(timeoutPolicy);
  await root.plugin(checkpointPolicy);
  await root.plugin(agents);
  await root.plugin(agentLoop);
}

interface SandboxParts {
  readonly sandbox: Promise<Sandbox>;
  readonly spillDir: string;
  readonly requests: RequestLog;
  readonly redactor: Redactor;
}

/** The container's commands and files, and the directory in which it finds what was too long to show. */
async function mountSandbox(root: Context, { mode, network }: RoomOptions, parts: SandboxParts): Promise<void> {
  const { sandbox, spillDir, requests, redactor } = parts;
  const redact = (text: string) => redactor.redactKnown(text);
  root.provide('networkWatch', requests);
  await root.plugin(sandboxPolicyPlugin, { mode, workspaceRoot: WORKSPACE, canonicalize: (path) => path });
  await root.plugin(bashEnvPlugin, { home: '/tmp' });
  await root.plugin(dockerSandboxPlugin, { mode, network, sandbox, bash: { spillDir, redact } });
  await root.plugin(localSpill, { root: spillDir, seenAt: SPILL_FOLDER, redact });
  await root.plugin(spillPolicy, { maxInlineBytes: MAX_INLINE_BYTES });
}

/** Started here and awaited by whoever needs it; its failure is theirs to report. */
function startSandbox(
  options: RoomOptions,
  parts: RoomParts & Pick<SandboxParts, 'spillDir' | 'requests'>,
): Promise<Sandbox> {
  const { session, mode, network, checkout, config } = options;
  const { docker, image, socketFolder, spillDir, requests } = parts;
  const policy = network !== 'none' && { network, hosts: config.networkHosts };
  const sandbox = openSandbox({
    docker,
    image,
    mode,
    tree: checkout.workTree,
    gitDir: checkout.gitDir,
    spillDir,
    labels: { session, installation: String(checkout.mirror.repository.id), boot: WORKER_BOOT },
    limits: sandboxLimits(config),
    ...(policy && { egress: { folder: socketFolder, policy, record: requests.add } }),
  });
  sandbox.catch(() => {});
  return sandbox;
}

/** Only the job's own tools are mounted, so that the prompt speaks of no other. */
export async function mountTools(
  root: Context,
  { kind, mode, network = 'none' }: Pick<RoomOptions, 'kind' | 'mode'> & Partial<Pick<RoomOptions, 'network'>>,
  { image }: Pick<RoomParts, 'image'>,
): Promise<void> {
  const has = (name: string) => JOB_TOOLS[kind].includes(name);
  const search = { ripgrep: image === DEFAULT_SANDBOX_IMAGE ? ('present' as const) : ('probe' as const) };
  await root.plugin(readBeforeWrite);
  await root.plugin(readTool, { treeIsReadOnly: mode === 'read-only' });
  await root.plugin(grepTool, search);
  await root.plugin(globTool, search);
  if (has('edit')) await root.plugin(editTool, { escalation: false });
  if (has('write')) await root.plugin(writeTool, { escalation: false });
  await root.plugin(bashTool, {
    enableRunInBackground: false,
    escalation: false,
    treeIsReadOnly: mode === 'read-only',
    network,
  });
  if (has('todo_write')) await root.plugin(todoTool);
}

async function openAgent(root: Context, { session, target, signal, setUp }: RoomOptions): Promise<AgentHandle> {
  const shared = { agentOptions: { ...target }, signal, setup: (agentCtx: Context) => setUp(agentCtx, root) };
  const known = await root.persistence.has(session);
  return known
    ? root.agents.resume({ resumeSessionId: session, ...shared })
    : root.agents.create({ sessionId: session, meta: { cwd: WORKSPACE }, ...shared });
}

/** The agent first, then what it stood on: its last events are flushed before the store goes. */
async function closeRoom(root: Context, handle: AgentHandle, closeSandbox: () => Promise<void>): Promise<void> {
  const steps = [() => handle.dispose(), () => root.fiber.dispose(), closeSandbox];
  const failures: unknown[] = [];
  for (const step of steps) await step().catch((error: unknown) => failures.push(error));
  if (failures.length > 0) throw new AggregateError(failures, 'a session did not close cleanly');
}
