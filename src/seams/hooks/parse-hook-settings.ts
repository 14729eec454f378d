import { z } from 'zod';
import { compileMatcher } from './compile-matcher.ts';
import type { Matcher } from './compile-matcher.ts';
import { HOOK_POINTS } from './types.ts';
import type { CommandHook, HookDialect, HookPoint } from './types.ts';

/** A hook as it will be run. `handlerId` tells where it stands in the configuration. */
export interface RegisteredHook extends CommandHook {
  readonly handlerId: string;
  readonly matcher?: string;
  readonly matches: Matcher;
}
/** In configuration order. */
export type HookTable = ReadonlyMap<HookPoint, readonly RegisteredHook[]>;

export interface ParseOptions {
  readonly dialect: HookDialect;
  /** What `${NAME}` in a command stands for, as far as it is known. */
  readonly variables?: Readonly<Record<string, string | undefined>>;
  readonly warn: (message: string) => void;
}

const Hook = z.object({
  type: z.literal('command').optional(),
  command: z.string().trim().min(1),
  timeout: z.number().positive().optional(),
  async: z.boolean().optional(),
});
const Group = z.object({ matcher: z.string().optional(), hooks: z.array(z.unknown()) });
const EventMap = z.record(z.string(), z.unknown());

/**
 * The hooks of a settings file (under its `hooks` key) or of a bare event map. What cannot be used is skipped, and said.
 * @throws HarnessError `HOOK_MATCHER_INVALID`
 */
export function parseHookSettings(settings: unknown, options: ParseOptions): HookTable {
  const file = EventMap.safeParse(settings);
  const events = EventMap.safeParse(file.data && 'hooks' in file.data ? file.data.hooks : settings);
  if (!events.success) options.warn('the hook settings are no map of events; no hook is registered');
  const table = new Map<HookPoint, RegisteredHook[]>();
  for (const [point, groups] of Object.entries(events.data ?? {})) {
    if (isHookPoint(point) && isPointOf(options.dialect, point)) table.set(point, parsePoint(point, groups, options));
    else options.warn(`${point}: hooks of this event are not supported and were skipped`);
  }
  return table;
}

function isHookPoint(name: string): name is HookPoint {
  return (HOOK_POINTS as readonly string[]).includes(name);
}

/** Codex knows no child agents. */
function isPointOf(dialect: HookDialect, point: HookPoint): boolean {
  return dialect === 'claude' || !point.startsWith('Subagent');
}

function parsePoint(point: HookPoint, groups: unknown, options: ParseOptions): RegisteredHook[] {
  const list = z.array(z.unknown()).safeParse(groups);
  if (!list.success) options.warn(`${point}: expected a list of groups; skipped`);
  return (list.data ?? []).flatMap((group, index) => parseGroup(`${point}/${index}`, group, options));
}

function parseGroup(id: string, value: unknown, options: ParseOptions): RegisteredHook[] {
  const group = Group.safeParse(value);
  if (!group.success) {
    options.warn(`${id}: expected { matcher?, hooks: [] }; skipped`);
    return [];
  }
  const { matcher, hooks } = group.data;
  const common = { ...(matcher !== undefined && { matcher }), matches: compileMatcher(matcher, options.dialect) };
  return hooks.flatMap((hook, index) => {
    const command = parseHook(`${id}/${index}`, hook, options);
    return command ? [{ handlerId: `${id}/${index}`, ...common, ...command }] : [];
  });
}

function parseHook(
  id: string,
  value: unknown,
  { dialect, variables = {}, warn }: ParseOptions,
): CommandHook | undefined {
  const hook = Hook.safeParse(value);
  if (!hook.success) {
    warn(`${id}: expected { type: "command", command, timeout? }; skipped`);
    return undefined;
  }
  const { command, timeout, async: isAsync } = hook.data;
  if (isAsync && dialect === 'codex') {
    warn(`${id}: asynchronous hooks are not supported; skipped`);
    return undefined;
  }
  return { command: substitute(command, variables), ...(timeout !== undefined && { timeoutSec: timeout }) };
}

/** A variable nobody knows yet is left for the shell. */
function substitute(command: string, variables: NonNullable<ParseOptions['variables']>): string {
  return command.replaceAll(/\$\{(\w+)\}/g, (whole, name: string) =>
    Object.hasOwn(variables, name) ? (variables[name] ?? whole) : whole,
  );
}
