import type { Context, Plugin } from '../../harness/kernel/context.ts';
import type { ContentBlock } from '../../harness/llm/types.ts';
import type { PostToolDecision } from '../../harness/tools/types.ts';
import type { KnownSecrets } from './known-secrets.ts';
import { maskChunks } from './mask-chunks.ts';
import { maskJson } from './mask-json.ts';
import '../../harness/llm/llm-service.ts';
import '../../harness/tools/events.ts';

/**
 * Keeps the secrets of the process out of the log, and so out of all that is made from it: requests, comments,
 * transcripts. A log cannot be cleaned later. The model's stream and the results of tools are masked where they come
 * in, before anything cuts them; every other event where it is stored.
 */
export const logRedaction: Plugin<KnownSecrets> = {
  name: 'log-redaction',
  inject: ['sessions'],
  apply(ctx: Context, secrets) {
    ctx.effect(() => ctx.sessions.addFilter((data) => maskJson(data, secrets)), 'log redaction');
    ctx.on('llm/stream', (_options, next) => (secrets.known.length === 0 ? next() : maskChunks(next(), secrets)), {
      prepend: true,
    });
    ctx.on('tools/post-execute', async (_exec, result, next) => maskedDecision(await next(), result, secrets));
  },
};

function maskedDecision(
  decision: PostToolDecision,
  result: { readonly content: ContentBlock[] },
  secrets: KnownSecrets,
): PostToolDecision {
  if (decision.kind === 'block') return maskJson(decision, secrets);
  const content = decision.content ?? result.content;
  const clean = maskJson(content, secrets);
  const masked = maskJson(decision, secrets);
  return clean === content ? masked : { ...masked, content: clean };
}
