import type { Agent, HookContext } from '../../../src/harness/agent/types.ts';
import { Context } from '../../../src/harness/kernel/context.ts';
import { CallId } from '../../../src/harness/llm/types.ts';
import { scopeInvariants } from '../../../src/harness/scope/scope-invariants.ts';
import { createScope } from '../../../src/harness/scope/scope.ts';
import { systemPrompt } from '../../../src/harness/system-prompt/system-prompt.ts';
import { tools } from '../../../src/harness/tools/tools.ts';
import type {
  ToolDefinition,
  ToolExecution,
  ToolExecutionInput,
  ToolExecutionResult,
} from '../../../src/harness/tools/types.ts';

/** A registry with one agent, and a log of what the pipeline went through. */
export class ToolWorld {
  readonly ctx = new Context();
  readonly agent = { id: 'a' } as unknown as Agent;
  readonly other = { id: 'b' } as unknown as Agent;
  readonly scope;
  readonly log: string[] = [];
  readonly published: { exec: Readonly<ToolExecution>; result: Readonly<ToolExecutionResult> }[] = [];

  constructor() {
    this.ctx.plugin(scopeInvariants);
    this.ctx.plugin(systemPrompt);
    this.ctx.plugin(tools);
    this.scope = createScope(this.ctx, this.agent);
    this.ctx.on('tools/result', (exec, result) => void this.published.push({ exec, result }));
  }

  /** Notes every stage a call passes. */
  trace(): this {
    this.ctx.on('tools/pre-execute', (_exec, next) => this.#note('pre', next));
    this.ctx.on('tools/execute', (_exec, next) => this.#note('execute', next));
    this.ctx.on('tools/post-execute', (_exec, _result, next) => this.#note('post', next));
    this.ctx.on('tools/result', () => void this.log.push('result'));
    this.ctx.tools.guard(() => void this.log.push('guard'));
    return this;
  }

  call(input: Partial<ToolExecutionInput> = {}): Promise<ToolExecutionResult> {
    return this.ctx.tools.execute(this.input(input));
  }

  input(input: Partial<ToolExecutionInput> = {}): ToolExecutionInput {
    const { signal } = new AbortController();
    return { callId: CallId('c1'), name: 'echo', arguments: {}, agent: this.agent, signal, ...input };
  }

  #note<T>(stage: string, next: () => T): T {
    this.log.push(stage);
    return next();
  }
}

export function tool(name: string, extra: Partial<ToolDefinition> = {}): ToolDefinition {
  return {
    name,
    description: `about ${name}`,
    parameters: { type: 'object' },
    execute: async () => [{ type: 'text', text: `${name} ran` }],
    ...extra,
  };
}

export function textOf(result: Readonly<ToolExecutionResult>): string {
  return result.content.map((block) => (block.type === 'text' ? block.text : `[${block.type}]`)).join('');
}

export function context(text: string): HookContext {
  return { content: [{ type: 'text', text }], source: { kind: 'plugin', plugin: 'test' } };
}

export function contextsOf(result: Readonly<ToolExecutionResult>): string[] {
  return (result.additionalContexts ?? []).map(({ content }) => textOf({ content, isError: false }));
}
