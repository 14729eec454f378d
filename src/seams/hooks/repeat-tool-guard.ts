import type { Agent, HookContext } from '../../harness/agent/types.ts';
import type { Context, Plugin } from '../../harness/kernel/context.ts';
import { canonicalJson } from '../../harness/session/json.ts';
import type { ToolExecution } from '../../harness/tools/types.ts';

export interface RepeatToolGuardConfig {
  /** Tools that may well be called again and again: they neither count nor end a run of equal calls. */
  exclude?: readonly string[];
}

const GENTLE_AT = 3;
const FIRM_AT: readonly number[] = [5, 8];
const SHOWN_ARGUMENTS_CHARS = 500;

interface Streak {
  readonly call: string;
  readonly times: number;
}

/** Tells a model that calls the same tool with the same arguments over and over, denied or not. It never vetoes. */
export const repeatToolGuard: Plugin<RepeatToolGuardConfig | undefined> = {
  name: 'repeat-tool-guard',
  apply(ctx: Context, { exclude = [] } = {}) {
    const streaks = new WeakMap<Agent, Streak>();
    ctx.on('agent/prompt-submit', (agent, _content, _source, _signal, next) => {
      streaks.delete(agent);
      return next();
    });
    ctx.on('tools/post-execute', async (exec, _result, next) => {
      if (!exec.agent || exclude.includes(exec.name)) return next();
      const streak = nextStreak(streaks.get(exec.agent), exec);
      streaks.set(exec.agent, streak);
      const advice = adviceFor(exec, streak.times);
      const decision = await next();
      return advice ? { ...decision, additionalContexts: [advice, ...(decision.additionalContexts ?? [])] } : decision;
    });
  },
};

function nextStreak(before: Streak | undefined, { name, arguments: input }: Readonly<ToolExecution>): Streak {
  const call = `${name} ${canonicalJson(input)}`;
  return { call, times: before?.call === call ? before.times + 1 : 1 };
}

function adviceFor(exec: Readonly<ToolExecution>, times: number): HookContext | undefined {
  if (times !== GENTLE_AT && !FIRM_AT.includes(times)) return undefined;
  const text = times === GENTLE_AT ? gentle(times) : firm(exec, times);
  return { content: [{ type: 'text', text }], source: { kind: 'plugin', plugin: 'repeat-tool-guard' } };
}

function gentle(times: number): string {
  return `The last ${times} calls were the same. If the results did not help, try another way.`;
}

function firm({ name, arguments: input }: Readonly<ToolExecution>, times: number): string {
  const shown = canonicalJson(input).slice(0, SHOWN_ARGUMENTS_CHARS);
  return `${name} was called ${times} times in a row with the same arguments: ${shown}\nThe result will not change. Do something else, or say what stands in the way.`;
}
