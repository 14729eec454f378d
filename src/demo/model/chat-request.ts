import * as z from 'zod';

const WireCall = z.object({
  id: z.string().min(1),
  type: z.literal('function'),
  function: z.object({ name: z.string(), arguments: z.string() }),
});

const WireMessage = z.discriminatedUnion('role', [
  z.object({ role: z.literal('system'), content: z.string() }),
  z.object({ role: z.literal('user'), content: z.string() }),
  z.object({
    role: z.literal('assistant'),
    content: z.string().nullable(),
    reasoning_content: z.string().optional(),
    tool_calls: z.array(WireCall).nonempty().optional(),
  }),
  z.object({ role: z.literal('tool'), tool_call_id: z.string(), content: z.string() }),
]);
export type WireMessage = z.output<typeof WireMessage>;

const WireTool = z.object({
  type: z.literal('function'),
  function: z.object({
    name: z.string().regex(/^[\w-]{1,64}$/),
    description: z.string().optional(),
    parameters: z.looseObject({ type: z.literal('object') }),
  }),
});

/** A Chat Completions request as the endpoints read it: unknown fields pass, known ones must be right. */
export const ChatRequest = z.looseObject({
  model: z.string().min(1),
  messages: z.array(WireMessage).nonempty(),
  stream: z.literal(true),
  stream_options: z.object({ include_usage: z.boolean().optional() }).optional(),
  max_tokens: z.int().positive().optional(),
  max_completion_tokens: z.int().positive().optional(),
  temperature: z.number().min(0).max(2).optional(),
  stop: z.union([z.string(), z.array(z.string())]).optional(),
  thinking: z.object({ type: z.enum(['enabled', 'disabled']) }).optional(),
  reasoning_effort: z.string().optional(),
  tool_choice: z.unknown().optional(),
  tools: z.array(WireTool).optional(),
});
export type ChatRequest = z.output<typeof ChatRequest>;
