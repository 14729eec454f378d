import type { Agent } from '../../src/harness/agent/types.ts';
import { Context } from '../../src/harness/kernel/context.ts';
import { CallId } from '../../src/harness/llm/types.ts';
import { Session } from '../../src/harness/session/session.ts';
import { SESSION_FORMAT_VERSION, SessionId } from '../../src/harness/session/types.ts';
import { systemPrompt } from '../../src/harness/system-prompt/system-prompt.ts';
import { tools } from '../../src/harness/tools/tools.ts';
import type { ToolExecutionResult } from '../../src/harness/tools/types.ts';

/** A context with the tool pipeline, and agents that are no more than a session. */
export async function createToolBench(): Promise<ToolBench> {
  const ctx = new Context();
  await ctx.plugin(systemPrompt);
  await ctx.plugin(tools);
  return new ToolBench(ctx);
}

export class ToolBench {
  readonly ctx: Context;
  readonly agent: Agent;
  #calls = 0;

  constructor(ctx: Context) {
    this.ctx = ctx;
    this.agent = this.newAgent('session-1');
  }

  newAgent(id: string, cwd = '/workspace'): Agent {
    const header = { version: SESSION_FORMAT_VERSION, id: SessionId(id), createdAt: 0, cwd };
    const session = new Session(header, { now: () => 0, admit: () => () => {} });
    session.append('turn/start', { turn: 1, trigger: { kind: 'message', source: { kind: 'user' } } });
    return { id: session.id, session, ctx: this.ctx, options: {}, status: 'running' } as unknown as Agent;
  }

  call(
    name: string,
    args: unknown,
    options: { agent?: Agent | null; signal?: AbortSignal } = {},
  ): Promise<ToolExecutionResult> {
    const { agent = this.agent, signal = new AbortController().signal } = options;
    const callId = CallId(`call-${++this.#calls}`);
    return this.ctx.tools.execute({ callId, name, arguments: args, signal, ...(agent && { agent }) });
  }

  /** The text of a call's result, whatever it says. */
  async text(name: string, args: unknown, options: { agent?: Agent | null } = {}): Promise<string> {
    const { content } = await this.call(name, args, options);
    return content.map((block) => (block.type === 'text' ? block.text : `<${block.type}>`)).join('\n');
  }

  /** Text and code of a call that must have failed. */
  async failure(
    name: string,
    args: unknown,
    options: { agent?: Agent | null } = {},
  ): Promise<{ text: string; code?: string }> {
    const { content, isError, error } = await this.call(name, args, options);
    if (!isError) throw new Error(`${name} did not fail: ${JSON.stringify(content)}`);
    const text = content.map((block) => (block.type === 'text' ? block.text : '')).join('\n');
    return { text, ...(error && { code: error.code }) };
  }
}
