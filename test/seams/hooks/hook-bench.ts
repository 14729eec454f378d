import type { Plugin } from '../../../src/harness/kernel/context.ts';
import type { Session } from '../../../src/harness/session/session.ts';
import type { SessionEvent } from '../../../src/harness/session/types.ts';
import { claudeHooks } from '../../../src/seams/hooks/claude-hooks.ts';
import { codexHooks } from '../../../src/seams/hooks/codex-hooks.ts';
import type { ClaudeConfig, CodexConfig } from '../../../src/seams/hooks/types.ts';
import { MemoryBash } from '../../support/memory-bash.ts';
import type { MemoryScript } from '../../support/memory-bash.ts';
import type { ScriptedReply } from '../../support/scripted-model.ts';
import { bench, eventsOf, text, tool } from '../../harness/agent/agent-bench.ts';

type Settings = Record<string, unknown>;

/** One group of hooks that run these commands. */
export function group(matcher: string | undefined, ...commands: string[]) {
  const hooks = commands.map((command) => ({ type: 'command', command }));
  return { ...(matcher !== undefined && { matcher }), hooks };
}

/** What a hook prints to say something about its event. */
export function answer(hookEventName: string, fields: Settings, top: Settings = {}): { stdout: string } {
  return { stdout: JSON.stringify({ ...top, hookSpecificOutput: { hookEventName, ...fields } }) };
}

export interface HookBenchOptions {
  dialect?: 'claude' | 'codex';
  config?: Partial<ClaudeConfig & CodexConfig>;
  /** Mounted further in than the hooks. */
  inner?: Plugin<void>;
}

/** A whole harness whose shell plays `scripts`, with hooks configured by `settings` and two tools, `bash` and `read`. */
export async function hookBench(
  settings: Settings,
  scripts: Record<string, MemoryScript>,
  script: readonly ScriptedReply[] = [],
  { dialect = 'claude', config = {}, inner }: HookBenchOptions = {},
) {
  const b = await bench(script);
  const bash = new MemoryBash(scripts);
  b.ctx.provide('bash', bash);
  const ran: string[] = [];
  for (const name of ['bash', 'read']) {
    b.ctx.tools.register(tool(name, async () => (ran.push(name), text(`${name} done`))));
  }
  const plugin = (dialect === 'claude' ? claudeHooks : codexHooks) as Plugin<ClaudeConfig & CodexConfig>;
  const hooks = b.ctx.plugin(plugin, { settings, ...config });
  await hooks;
  if (inner) await b.ctx.plugin(inner, undefined);
  const { agent } = await b.create({ meta: { cwd: '/repo' } });
  return {
    ...b,
    agent,
    bash,
    hooks,
    /** Names of the tools whose body ran. */
    ran,
    /** What hooks got on their standard input, as text. */
    stdins: () => bash.specs.map((spec) => spec.stdin ?? ''),
    payloads: () => bash.specs.map((spec) => JSON.parse(spec.stdin ?? 'null') as Settings),
    async say(value: string) {
      agent.send(text(value));
      await agent.whenIdle();
    },
  };
}

export type HookBench = Awaited<ReturnType<typeof hookBench>>;

/** The hook events of a log, without their times. */
export function records(session: Session) {
  return session.events.flatMap((event) => {
    if (event.type === 'hook/invoked') return [`invoked ${event.data.handlerId}`];
    return event.type === 'hook/result' ? [`${event.data.decision} ${event.data.handlerId}`] : [];
  });
}

export function hookResults(session: Session): SessionEvent<'hook/result'>['data'][] {
  return eventsOf(session, 'hook/result').map(({ data }) => data);
}

export function contextTexts(session: Session): string[] {
  return eventsOf(session, 'context/message').flatMap(({ data }) => data.content.flatMap(textsOf));
}

export function resultTexts(session: Session): string[] {
  return eventsOf(session, 'tool/result').flatMap(({ data }) => data.content.flatMap(textsOf));
}

function textsOf(block: { type: string }): string[] {
  return block.type === 'text' ? [(block as { text?: string }).text ?? ''] : [];
}
