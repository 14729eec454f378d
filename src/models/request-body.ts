import type { GenerateOptions, Message, ToolSchema } from '../harness/llm/types.ts';
import type { Dialect, ThinkingEffort } from './dialect.ts';
import { maxOutputTokensOf } from './known-models.ts';
import { MessageSerializer, textOf } from './wire-messages.ts';

/**
 * Writes request bodies as text: fixed key order and `messages` last, so that a body without its closing bytes is
 * the beginning of the next one, which is what a provider's prefix cache can reuse.
 */
export class RequestWriter {
  readonly #dialect: Dialect;
  readonly #thinking: ThinkingEffort | undefined;
  readonly #messages: MessageSerializer;
  readonly #toolTexts = new WeakMap<readonly ToolSchema[], string>();

  constructor(dialect: Dialect, thinking: ThinkingEffort | undefined = dialect.defaultThinking) {
    this.#dialect = dialect;
    this.#thinking = thinking;
    this.#messages = new MessageSerializer(dialect.reasoningBack);
  }

  write(options: GenerateOptions): string {
    const head = JSON.stringify(this.#head(options)).slice(0, -1);
    const tools = options.tools?.length ? `,"tools":${this.#toolsText(options.tools)}` : '';
    const { system, history } = splitSystem(options);
    return `${head}${tools},"messages":${this.#messages.serialize(system, history)}}`;
  }

  #head(options: GenerateOptions): Record<string, unknown> {
    const { provider, model, maxTokens, stop } = options;
    const effort = options.purpose === 'session-title' ? this.#thinking && 'off' : this.#thinking;
    const temperature = this.#temperature(options.temperature, effort);
    return {
      model,
      stream: true,
      stream_options: { include_usage: true },
      ...(maxTokens !== undefined && {
        [this.#dialect.maxTokensField]: Math.min(maxTokens, maxOutputTokensOf(provider, model) ?? Infinity),
      }),
      ...(temperature !== undefined && { temperature }),
      ...(stop?.length && { stop }),
      ...(effort !== undefined && this.#dialect.thinkingFields(effort)),
    };
  }

  /** A thinking model ignores or refuses it. */
  #temperature(configured: number | undefined, effort: ThinkingEffort | undefined): number | undefined {
    if (effort !== undefined && effort !== 'off') return undefined;
    return configured ?? this.#dialect.plainTemperature;
  }

  #toolsText(tools: readonly ToolSchema[]): string {
    const known = this.#toolTexts.get(tools);
    if (known !== undefined) return known;
    const text = JSON.stringify(tools.map(wireTool));
    if (Object.isFrozen(tools)) this.#toolTexts.set(tools, text);
    return text;
  }
}

function wireTool({ name, description, parameters }: ToolSchema): object {
  return { type: 'function', function: { name, description, parameters } };
}

/** One system message, first: leading ones are joined to `system`; later ones stay in the history. */
function splitSystem({ system, messages }: GenerateOptions): { system: string; history: readonly Message[] } {
  const at = messages.findIndex(({ role }) => role !== 'system');
  const leading = at === -1 ? messages : messages.slice(0, at);
  const texts = [system ?? '', ...leading.map(({ content }) => textOf(content, '\n'))];
  return {
    system: texts.filter((text) => text !== '').join('\n\n'),
    history: leading.length === 0 ? messages : messages.slice(leading.length),
  };
}
