import type { Context, Plugin } from '../../harness/kernel/context.ts';
import { HarnessError } from '../../harness/llm/errors.ts';
import { lastOfType } from '../../harness/session/last-of-type.ts';
import type { Session } from '../../harness/session/session.ts';
import type { SessionEvent } from '../../harness/session/types.ts';
import { effectiveSandboxMode, setSandboxMode, assertSandboxMode } from '../sandbox/sandbox-mode.ts';
import type { SandboxMode } from '../sandbox/types.ts';
import { assertApprovalPolicy, setApprovalPolicy } from './approval-policy.ts';
import type { ApprovalPolicy } from './types.ts';

/** One name for a sandbox mode and an approval policy together. */
export interface PresetSpec {
  sandbox: SandboxMode;
  approval: ApprovalPolicy;
  name?: string;
  description?: string;
}
/** `value` is the key of the table, or `custom`. */
export interface PresetOption {
  value: string;
  name: string;
  description?: string;
}

/** What is shown where no preset fits; never a target. */
export const CUSTOM_PRESET = 'custom';

export const DEFAULT_PRESETS: Readonly<Record<string, PresetSpec>> = {
  'workspace-write': { sandbox: 'workspace-write', approval: 'ask' },
  'danger-full-access': { sandbox: 'danger-full-access', approval: 'never' },
};

declare module '../../harness/session/types.ts' {
  interface SessionEventMap {
    'permission/preset': { preset: string };
  }
}
declare module '../../harness/kernel/context.ts' {
  interface Context {
    permission: PermissionService;
  }
}

/** The preset a session was last set to, whether or not it still holds. */
export function effectivePermissionPreset(events: readonly SessionEvent[]): string | undefined {
  return lastOfType(events, 'permission/preset')?.data.preset;
}

/** `ctx.permission`. Its table is fixed while it is loaded. */
export class PermissionService {
  readonly #ctx: Context;
  readonly #presets: ReadonlyMap<string, PresetSpec>;

  /** @throws HarnessError `PERMISSION_PRESETS_INVALID` */
  constructor(ctx: Context, presets: Readonly<Record<string, PresetSpec>> = DEFAULT_PRESETS) {
    this.#ctx = ctx;
    this.#presets = new Map(Object.entries(structuredClone(presets)));
    if (this.#presets.has(CUSTOM_PRESET))
      throw new HarnessError(`"${CUSTOM_PRESET}" cannot be the name of a preset`, 'PERMISSION_PRESETS_INVALID');
    for (const { sandbox, approval } of this.#presets.values()) {
      assertSandboxMode(sandbox);
      assertApprovalPolicy(approval);
    }
  }

  get names(): readonly string[] {
    return [...this.#presets.keys()];
  }

  /** @throws HarnessError `PERMISSION_PRESET_UNKNOWN` */
  resolve(name: string): PresetSpec {
    const spec = this.#presets.get(name);
    if (spec) return { ...spec };
    throw new HarnessError(
      `"${name}" is no permission preset; there are ${this.names.join(', ')}`,
      'PERMISSION_PRESET_UNKNOWN',
    );
  }

  optionOf(name: string): PresetOption {
    if (name === CUSTOM_PRESET) return { value: CUSTOM_PRESET, name: 'Custom' };
    const { name: shown = name, description } = this.resolve(name);
    return { value: name, name: shown, ...(description !== undefined && { description }) };
  }

  /** The last recorded preset while it fits both knobs, else the first that does, else `custom`. */
  current(events: readonly SessionEvent[]): string {
    const mode = this.#mode(events);
    const policy = this.#ctx.approval.policyOf(events);
    const fits = (spec: PresetSpec | undefined) => spec?.sandbox === mode && spec.approval === policy;
    const recorded = effectivePermissionPreset(events);
    if (recorded !== undefined && fits(this.#presets.get(recorded))) return recorded;
    return this.names.find((name) => fits(this.#presets.get(name))) ?? CUSTOM_PRESET;
  }

  /** Needs an open turn, as everything that is logged. */
  set(session: Session, name: string): void {
    const { sandbox, approval } = this.resolve(name);
    if (this.current(session.events) !== name) session.append('permission/preset', { preset: name });
    if (this.#mode(session.events) !== sandbox) setSandboxMode(session, sandbox);
    if (this.#ctx.approval.policyOf(session.events) !== approval) setApprovalPolicy(session, approval);
  }

  #mode(events: readonly SessionEvent[]): SandboxMode {
    return effectiveSandboxMode(events) ?? this.#ctx.sandboxPolicy.defaultMode;
  }
}

/** Provides `ctx.permission`. Refuses to load over a bash that confines nothing: its modes would be empty words. */
export const permission: Plugin<{ presets?: Readonly<Record<string, PresetSpec>> } | undefined> = {
  name: 'permission',
  inject: ['bash', 'sandboxPolicy', 'approval'],
  apply(ctx, config) {
    if (ctx.bash.sandboxMode === undefined)
      throw new HarnessError('permission presets need a bash that confines', 'PERMISSION_NOT_CONFINED');
    ctx.provide('permission', new PermissionService(ctx, config?.presets));
  },
};
