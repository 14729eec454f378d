import type { Env } from '../../config/env.ts';
import { LlmError } from '../../harness/llm/errors.ts';
import type { AppIdentity, FinishReason, StreamChunk } from '../../harness/llm/types.ts';
import { createModels } from '../../models/create-models.ts';
import { failed, ok } from './finding.ts';
import type { Check } from './finding.ts';

export interface ModelCheck {
  readonly env: Env;
  /** From the operator's file; `DSH_MODEL` without it. */
  readonly model: string | undefined;
  readonly identity: AppIdentity;
  readonly now: () => Date;
}

/** One request of a few tokens: the endpoint, the key and the name of the model. */
export function checkModel({ env, model, identity, now }: ModelCheck): Check {
  return {
    name: 'model',
    mend: 'Check DSH_MODEL, DSH_MODEL_BASE_URL and the key.',
    async run(signal) {
      const models = createModels({ env, identity, now });
      const target = models.targetOf(model ?? env.DSH_MODEL);
      const adapter = models.routes.get(target.provider)!;
      const startedAt = now().getTime();
      const finish = await endOf(
        adapter.stream({
          ...target,
          messages: [{ role: 'user', content: [{ type: 'text', text: 'Answer with the word OK.' }] }],
          maxTokens: 16,
          signal,
        }),
      );
      const name = `${target.provider}/${target.model}`;
      if (!finish) return failed(`${name} answered with nothing.`, 'Check DSH_MODEL_BASE_URL.');
      return ok(`${name} answered in ${((now().getTime() - startedAt) / 1000).toFixed(1)} s`);
    },
  };
}

/** Cut at the limit is an answer, too. */
async function endOf(stream: AsyncIterable<StreamChunk>): Promise<FinishReason | undefined> {
  let finish: FinishReason | undefined;
  for await (const chunk of stream) if (chunk.type === 'finish') finish = chunk.reason;
  if (finish?.kind !== 'error' && finish?.kind !== 'aborted') return finish;
  const { message, code, ...facts } = finish.failure;
  throw new LlmError(message, code, facts);
}
