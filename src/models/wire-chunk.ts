import * as z from 'zod';

/** Some servers send arguments already parsed; they are turned back into text (L6). */
const ArgumentsText = z
  .union([z.string(), z.record(z.string(), z.unknown()).transform((parsed) => JSON.stringify(parsed))])
  .nullish();

export const WireCallDelta = z.object({
  index: z.int().nullish(),
  id: z.string().nullish(),
  function: z.object({ name: z.string().nullish(), arguments: ArgumentsText }).nullish(),
});
export type WireCallDelta = z.output<typeof WireCallDelta>;

const WireDelta = z.object({
  content: z.string().nullish(),
  reasoning_content: z.string().nullish(),
  /** The same under another name, as some servers have it. */
  reasoning: z.string().nullish(),
  tool_calls: z.array(WireCallDelta).nullish(),
});
export type WireDelta = z.output<typeof WireDelta>;

const count = z.number().nonnegative().nullish();
export const WireUsage = z.object({
  prompt_tokens: count,
  completion_tokens: count,
  prompt_cache_hit_tokens: count,
  prompt_tokens_details: z.object({ cached_tokens: count }).nullish(),
  completion_tokens_details: z.object({ reasoning_tokens: count }).nullish(),
});
export type WireUsage = z.output<typeof WireUsage>;

const WireChoice = z.object({
  delta: WireDelta.nullish(),
  /** In place of `delta` where a server answers with one JSON text. */
  message: WireDelta.nullish(),
  finish_reason: z.string().nullish(),
});

/** What we read of one piece of a reply. A usage piece may have `choices` empty, null or absent. */
export const WireChunk = z.object({
  choices: z.array(WireChoice).nullish(),
  usage: WireUsage.nullish(),
  error: z.unknown().optional(),
});
export type WireChunk = z.output<typeof WireChunk>;
