import { standingFacts } from '../bot/context/standing-facts.ts';
import { breakOwnTags } from '../bot/context/own-tags.ts';
import type { Config } from '../config/config.ts';
import { DshError } from '../errors.ts';
import type { AgentLlmTarget } from '../harness/agent/types.ts';
import { Context } from '../harness/kernel/context.ts';
import type { Plugin } from '../harness/kernel/context.ts';
import { chunkValidator } from '../harness/llm/chunk-validator.ts';
import { HarnessError, isHarnessError } from '../harness/llm/errors.ts';
import { llm } from '../harness/llm/llm-service.ts';
import { prepareStoredSession } from '../harness/session/prepare-stored-session.ts';
import { sessionStore } from '../harness/session/session-store.ts';
import type { SessionId, TurnTrigger } from '../harness/session/types.ts';
import type { Models } from '../models/create-models.ts';
import { basicCompact } from '../seams/compaction/basic-compact.ts';
import { compactInOwnTurn } from '../seams/compaction/compact-in-own-turn.ts';
import { toolResultPrune } from '../seams/compaction/tool-result-prune.ts';
import type { CompactionResult } from '../seams/compaction/types.ts';
import type { KnownSecrets } from '../seams/log-redaction/known-secrets.ts';
import { logRedaction } from '../seams/log-redaction/log-redaction.ts';
import { tokenMeter } from '../seams/token-meter/session-token-meter.ts';

export interface CompactRequest {
  readonly session: SessionId;
  /** Of kind `maintenance`. */
  readonly trigger: TurnTrigger;
  readonly config: Config;
  readonly signal: AbortSignal;
}

export interface CompactParts {
  readonly models: Models;
  /** Stores the session's log. */
  readonly persistence: Plugin<void>;
  readonly target: AgentLlmTarget;
  readonly redactor: KnownSecrets;
  readonly log: (message: string, error?: unknown) => void;
}

/**
 * What `/dsh compact` does: condenses the history of a stored session that rests, without an agent or a sandbox. `null`
 * where there is nothing to condense. The caller holds the session's lease.
 * @throws DshError `COMPACT_PARKED`, HarnessError `COMPACT_NO_SESSION`, and as `compactInOwnTurn`
 */
export async function compactStoredSession(
  { session: id, trigger, config, signal }: CompactRequest,
  parts: CompactParts,
): Promise<CompactionResult | null> {
  const root = new Context();
  try {
    await mount(root, config, parts);
    const { persistence, sessions } = root;
    if (!(await persistence.has(id))) throw new HarnessError(`there is no session ${id} yet`, 'COMPACT_NO_SESSION');
    const session = await prepareStoredSession(id, { persistence, sessions });
    sessions.enter(session);
    sessions.announce(session);
    return await compactInOwnTurn(root, { session, options: { ...parts.target } }, { trigger, signal });
  } catch (error) {
    throw isHarnessError(error) && error.code === 'COMPACT_PARKED' ? waits(error) : error;
  } finally {
    await root.fiber.dispose();
  }
}

function waits(cause: HarnessError): DshError {
  const hint = 'Answer it, or end it with `/dsh stop`; then it can be condensed.';
  return new DshError('This session waits for an answer.', cause.code, hint, { cause });
}

async function mount(
  root: Context,
  config: Config,
  { models, persistence, redactor, log }: CompactParts,
): Promise<void> {
  root.on('kernel/error', (error, origin) => log(`${origin} failed`, error));
  await root.plugin(sessionStore);
  await root.plugin(persistence, undefined);
  await root.plugin(llm);
  for (const [provider, adapter] of models.routes) root.llm.registerAdapter([provider], adapter);
  await root.plugin(logRedaction, redactor);
  await root.plugin(chunkValidator);
  await root.plugin(tokenMeter, undefined);
  await root.plugin(toolResultPrune, undefined);
  await root.plugin(basicCompact, {
    auto: false,
    workingWindow: config.workingWindow,
    harmless: breakOwnTags,
    facts: ({ events }) => standingFacts({ events }),
  });
}
