import type { ContentBlock } from '../llm/types.ts';
import { snapshotJsonValue } from '../session/json.ts';
import type { JsonValue } from '../session/types.ts';
import type { QueuedPrompt } from './inbox.ts';
import type { HookContext, InjectOptions, SendOptions } from './types.ts';

/**
 * Takes what the caller gave out of the caller's hands. Each property is read once.
 * @throws TypeError when anything in it is not lossless JSON
 */
export function snapshotPrompt(content: ContentBlock[], options: SendOptions = {}): QueuedPrompt {
  const { source = { kind: 'user' }, contexts = [], trigger } = options;
  return Object.freeze({
    content: snapshotJsonValue(content),
    source: snapshotJsonValue(source),
    contexts: snapshotContexts(contexts),
    ...(trigger !== undefined && { trigger: snapshotJsonValue(trigger) }),
  });
}

/** A context that goes into the history as it is. */
export function snapshotInjection(content: ContentBlock[], options: InjectOptions = {}): HookContext {
  const { source = { kind: 'user' }, meta } = options;
  return snapshotContext({ content, source, meta });
}

export function snapshotContexts(contexts: readonly HookContext[]): readonly HookContext[] {
  return Object.freeze(contexts.map(snapshotContext));
}

function snapshotContext(context: Omit<HookContext, 'meta'> & { meta?: JsonValue | undefined }): HookContext {
  const { content, source, placement, meta } = context;
  return snapshotJsonValue({
    content,
    source,
    ...(placement !== undefined && { placement }),
    ...(meta !== undefined && { meta }),
  });
}
