import { ModelRoute } from '../config/config-file.ts';
import { DshError } from '../errors.ts';

/** The value of `--model`. Throws `USAGE` that says what one looks like. */
export function checkModelFlag(text: string): string {
  if (ModelRoute.safeParse(text).success) return text;
  const hint = 'Write --model provider/model, for example --model deepseek/deepseek-chat.';
  throw new DshError(`--model is ${JSON.stringify(text)}, which names no provider and model.`, 'USAGE', hint);
}
