import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type Docker from 'dockerode';
import { Context } from '../harness/kernel/context.ts';
import type { Plugin } from '../harness/kernel/context.ts';
import type { AgentHandle } from '../harness/agent/types.ts';
import { agentLoop } from '../harness/agent/agent-loop.ts';
import { agents } from '../harness/agent/registry.ts';
import type { SessionId } from '../harness/session/types.ts';
import { llm } from '../harness/llm/llm-service.ts';
import { chunkValidator } from '../harness/llm/chunk-validator.ts';
import { llmRetry } from '../harness/llm/llm-retry.ts';
import { scopeInvariants } from '../harness/scope/scope-invariants.ts';
import { sessionStore } from '../harness/session/session-store.ts';
import { systemPrompt } from '../harness/system-prompt/system-prompt.ts';
import { timeoutPolicy } from '../harness/tools/timeout-policy.ts';
import { tools } from '../harness/tools/tools.ts';
import type { Room, RoomOptions } from '../bot/job/room.ts';
import { offersEscalation } from '../bot/limits/offers-escalation.ts';
import { JOB_TOOLS } from '../bot/prompts/sections.ts';
import { toolOrderOf } from '../bot/prompts/tool-order.ts';
import { mountCommands } from './mount-commands.ts';
import { mountHistory } from './mount-history.ts';
import { mountSkills, mountSkillTool } from './mount-skills.ts';
import { mountHooks } from './mount-hooks.ts';
import { mountSubagents } from './mount-subagents.ts';
import { awaitTitles, mountTitles } from './mount-titles.ts';

import { SPILL_FOLDER } from '../docker/container-options.ts';
import { RequestLog } from '../docker/egress/request-log.ts';
import { openSandbox } from '../docker/open-sandbox.ts';
import type { Sandbox } from '../docker/sandbox.ts';
import { dockerSandboxPlugin } from '../docker/docker-sandbox-plugin.ts';
import { DEFAULT_SANDBOX_IMAGE } from '../docker/default-image.ts';
import { workerBoot } from '../docker/sweep/worker-boot.ts';
import { OUTPUT_RETRIES } from '../models/guard-output.ts';
import type { Models } from '../models/create-models.ts';
import type { Redactor } from '../publish/redact.ts';
import { approval } from '../seams/approval/approval.ts';
import { permission } from '../seams/approval/permission-service.ts';
import { bashEnvPlugin } from '../seams/bash/bash-env.ts';
import { bashTool } from '../seams/bash/bash-tool.ts';
import { editTool } from '../seams/filesystem/edit-tool.ts';
import { globTool } from '../seams/filesystem/glob-tool.ts';
import { grepTool } from '../seams/filesystem/grep-tool.ts';
import { readBeforeWrite } from '../seams/filesystem/read-before-write.ts';
import { readTool } from '../seams/filesystem/read-tool.ts';
import { writeTool } from '../seams/filesystem/write-tool.ts';
import { logRedaction } from '../seams/log-redaction/log-redaction.ts';
import { repeatToolGuard } from '../seams/hooks/repeat-tool-guard.ts';
import { sandboxPolicyPlugin } from '../seams/sandbox/sandbox-policy.ts';
import type { SandboxNetwork } from '../seams/sandbox/types.ts';
import { askUserQuestionTool } from '../seams/user-interaction/ask-user-question-tool.ts';
import { userInteraction } from '../seams/user-interaction/user-interaction-service.ts';
import { localSpill } from '../seams/spill/local-spill.ts';
import { spillPolicy } from '../seams/spill/spill-policy.ts';
import { closeLostChildren } from '../seams/subagent/close-lost-children.ts';
import { todoTool } from '../seams/todo/todo-tool.ts';
import { sandboxEnvironment, sandboxLimits } from './sandbox-limits.ts';
import { checkpointPolicy } from '../store/checkpoint-policy.ts';

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

export const WORKER_BOOT = workerBoot();

/**
 * Gives a session a kernel of its own: services, tools and sandbox of one repository never meet another's. The container
 * starts while the first request is on its way; tools wait for it.
 */
export async function openRoom(options: RoomOptions, parts: RoomParts): Promise<Room> {
  const root = new Context();
  const spillDir = join(parts.spillRoot, ownerOf(options));
  await mkdir(spillDir, { recursive: true, mode: 0o700 });
  const requests = new RequestLog();
  const sandbox = startSandbox(options, { spillDir, requests, ...parts });
  const closeSandbox = async () => (await sandbox.catch(() => undefined))?.close();
  try {
    await mountSkills(root, options, { cwd: WORKSPACE, spillDir });
    await mountCore(root, options, parts);
    await mountSandbox(root, options, { sandbox, spillDir, requests, ...parts });
    await root.plugin(permission, undefined);
    const { networkBound } = options.config;
    await mountCommands(root, { maxGoalRounds: options.config.goal.maxRounds, language: options.config.language });
    const asksPeople = options.approvalPolicy !== 'never';
    await mountTools(root, { ...options, networkBound, escalation: offersEscalation(options), asksPeople }, parts);
    await mountHistory(root, options);
    await mountSubagents(root, options, { boot: WORKER_BOOT, openRoom: (child) => openRoom(child, parts) });
    await mountTitles(root, options);
    await mountHooks(root, options);
    for (const plugin of parts.plugins) await root.plugin(plugin, undefined);
    await mountSkillTool(root, options, { cwd: WORKSPACE });
    const handle = await openAgent(root, options);
    const close = async () => {
      if (!options.signal.aborted) await awaitTitles(root);
      await closeRoom(root, handle, closeSandbox);
    };
    return { ctx: root, handle, close };
  } catch (error) {
    await root.fiber.dispose();
    await closeSandbox();
    throw error;
  }
}

async function mountCore(root: Context, { kind, approvalPolicy }: RoomOptions, parts: RoomParts): Promise<void> {
  root.on('kernel/error', (error, origin) => parts.log(`${origin} failed`, error));
  await root.plugin(scopeInvariants);
  await root.plugin(sessionStore);
  await root.plugin(parts.persistence, undefined);
  await root.plugin(systemPrompt, { toolOrder: toolOrderOf(kind) });
  await root.plugin(tools);
  await root.plugin(llm);
  for (const [provider, adapter] of parts.models.routes) root.llm.registerAdapter([provider], adapter);
  await root.plugin(logRedaction, parts.redactor);
  await root.plugin(chunkValidator);
  await root.plugin(llmRetry, { maxRetries: 5, maxDelayMs: 60_000 });
  for (const retries of OUTPUT_RETRIES) await root.plugin(llmRetry, retries);
  await root.plugin(timeoutPolicy);
  await root.plugin(checkpointPolicy);
  await root.plugin(agents);
  await root.plugin(agentLoop);
  await root.plugin(approval, { policy: approvalPolicy });
  await root.plugin(userInteraction);
}

interface SandboxParts {
  readonly sandbox: Promise<Sandbox>;
  readonly spillDir: string;
  readonly requests: RequestLog;
  readonly redactor: Redactor;
}

/** The container's commands and files, and the directory in which it finds what was too long to show. */
async function mountSandbox(root: Context, options: RoomOptions, parts: SandboxParts): Promise<void> {
  const { sandbox, spillDir, requests, redactor } = parts;
  const { mode, network, checkout, config } = options;
  const growth = { tree: checkout.workTree, maxBytes: config.sandbox.growthMb * 1024 ** 2 };
  const redact = (text: string) => redactor.redactKnown(text);
  root.provide('networkWatch', requests);
  await root.plugin(sandboxPolicyPlugin, { mode, workspaceRoot: WORKSPACE, canonicalize: (path) => path });
  await root.plugin(bashEnvPlugin, { home: '/tmp' });
  const environment = sandboxEnvironment(config);
  await root.plugin(dockerSandboxPlugin, { mode, network, sandbox, bash: { spillDir, redact, growth, environment } });
  await root.plugin(localSpill, { root: spillDir, seenAt: SPILL_FOLDER, redact });
  await root.plugin(spillPolicy, { maxInlineBytes: MAX_INLINE_BYTES });
}

/** Started here and awaited by whoever needs it; its failure is theirs to report. */
function startSandbox(
  options: RoomOptions,
  parts: RoomParts & Pick<SandboxParts, 'spillDir' | 'requests'>,
): Promise<Sandbox> {
  const { mode, network, checkout, config } = options;
  const { docker, image, socketFolder, spillDir, requests } = parts;
  const wayOut = { folder: socketFolder, record: requests.add };
  const hosts = config.networkHosts;
  const sandbox = openSandbox({
    docker,
    image,
    mode,
    tree: checkout.workTree,
    gitDir: checkout.gitDir,
    spillDir,
    labels: { session: ownerOf(options), installation: String(checkout.mirror.repository.id), boot: WORKER_BOOT },
    limits: sandboxLimits(config),
    ...(config.sandbox.runtime && { runtime: config.sandbox.runtime }),
    ...(network !== 'none' && { egress: { ...wayOut, policy: { network, hosts } } }),
    ...(offersEscalation(options) && { callEgress: { ...wayOut, hosts } }),
  });
  sandbox.catch(() => {});
  return sandbox;
}

interface ToolOptions extends Pick<RoomOptions, 'kind' | 'mode'>, Partial<Pick<RoomOptions, 'network'>> {
  /** The widest network that a person may open for one call. */
  readonly networkBound?: SandboxNetwork;
  /** Whether a wider sandbox can be asked for. */
  readonly escalation?: boolean;
  /** Whether there is somebody to put a question to: in the untrusted profile there is not (X4). */
  readonly asksPeople?: boolean;
}

/** Waiting for something, and saying again what is so, are no running in circles. */
const MAY_REPEAT = ['todo_write', 'task_output', 'task_list'];

/** Only the job's own tools are mounted, so that the prompt speaks of no other. */
export async function mountTools(
  root: Context,
  { kind, mode, network = 'none', networkBound = network, escalation = false, asksPeople = false }: ToolOptions,
  { image }: Pick<RoomParts, 'image'>,
): Promise<void> {
  const has = (name: string) => JOB_TOOLS[kind].includes(name);
  const search = { ripgrep: image === DEFAULT_SANDBOX_IMAGE ? ('present' as const) : ('probe' as const) };
  await root.plugin(readBeforeWrite);
  await root.plugin(repeatToolGuard, { exclude: MAY_REPEAT });
  await root.plugin(readTool, { treeIsReadOnly: mode === 'read-only' });
  await root.plugin(grepTool, search);
  await root.plugin(globTool, search);
  if (has('edit')) await root.plugin(editTool, { escalation });
  if (has('write')) await root.plugin(writeTool, { escalation });
  await root.plugin(bashTool, {
    enableRunInBackground: false,
    escalation,
    treeIsReadOnly: mode === 'read-only',
    network,
    networkBound,
  });
  if (has('todo_write')) await root.plugin(todoTool);
  if (has('ask_user_question') && asksPeople) await root.plugin(askUserQuestionTool);
}

/** What a child leaves is found, and taken away, with its parent's. */
function ownerOf({ session, child }: RoomOptions): SessionId {
  return child?.meta?.parentSession ?? session;
}

async function openAgent(root: Context, { session, target, signal, setUp, child }: RoomOptions): Promise<AgentHandle> {
  if (child) return root.agents.create(child);
  const shared = { agentOptions: { ...target }, signal, setup: (agentCtx: Context) => setUp(agentCtx, root) };
  const known = await root.persistence.has(session);
  if (!known) return root.agents.create({ sessionId: session, meta: { cwd: WORKSPACE }, ...shared });
  const handle = await root.agents.resume({ resumeSessionId: session, ...shared });
  await closeLostChildren(root.persistence, handle.agent.session.events);
  return handle;
}

/** The agent first, then what it stood on: its last events are flushed before the store goes. */
async function closeRoom(root: Context, handle: AgentHandle, closeSandbox: () => Promise<void>): Promise<void> {
  const steps = [() => handle.dispose(), () => root.fiber.dispose(), closeSandbox];
  const failures: unknown[] = [];
  for (const step of steps) await step().catch((error: unknown) => failures.push(error));
  if (failures.length > 0) throw new AggregateError(failures, 'a session did not close cleanly');
}
