import type { JsonValue } from '../../harness/session/types.ts';

export type HookDialect = 'claude' | 'codex';
export type MatcherMode = HookDialect;

/** The points at which command hooks run. */
export const HOOK_POINTS = [
  'SessionStart',
  'UserPromptSubmit',
  'PreToolUse',
  'PostToolUse',
  'Stop',
  'SubagentStart',
  'SubagentStop',
] as const;
export type HookPoint = (typeof HOOK_POINTS)[number];

/** `timeoutSec` is in seconds, as on the wire. */
export interface CommandHook {
  command: string;
  timeoutSec?: number;
}
/** Without a matcher, or with '' or '*', its hooks run for every subject. */
export interface MatcherGroup {
  matcher?: string;
  hooks: CommandHook[];
}

export type HookDecision = 'approve' | 'allow' | 'block' | 'deny' | 'ask';

/** What one run of a hook said. `exitCode` is absent when it did not end by itself. */
export interface HookOutput {
  exitCode: number | undefined;
  /** Trimmed, as `stdout`. */
  stderr: string;
  stdout: string;
  continue?: boolean;
  stopReason?: string;
  decision?: HookDecision;
  reason?: string;
  /** The event it claims to answer, also when that is another one. */
  hookEventName?: string;
  additionalContext?: string;
  systemMessage?: string;
  updatedInput?: Record<string, unknown>;
}

export type MergedDecision = 'allow' | 'ask' | 'deny' | 'none';

/** What all hooks of one point said together. */
export interface MergedHookOutcome {
  decision: MergedDecision;
  reason?: string;
  stop: boolean;
  stopReason?: string;
  additionalContext: string[];
  systemMessages: string[];
}

export interface HookInvocation {
  turn: number;
  point: HookPoint;
  dialect: HookDialect;
  /** Pairs an invocation with its result. */
  handlerId: string;
  matcher?: string;
}

export interface HookResultRecord {
  turn: number;
  point: HookPoint;
  handlerId: string;
  output: HookOutput;
  stderrSummaryMaxChars: number;
  durationMs: number;
}

export const DEFAULT_HOOK_TIMEOUT_MS = 600_000;
export const DEFAULT_STDERR_SUMMARY_MAX_CHARS = 500;

/** Where hooks are configured: a file, or its parsed content. A settings file with a `hooks` key, or a bare event map. */
export type HookSource = { configPath: string } | { settings: unknown };

interface HookLimits {
  defaultTimeoutMs?: number;
  stderrSummaryMaxChars?: number;
}
export type ClaudeConfig = HookSource & HookLimits & { pluginRoot?: string; projectDir?: string };
/** `model` is what hooks are told; by default, what the last request went to. */
export type CodexConfig = HookSource & HookLimits & { model?: string };

declare module '../../harness/session/types.ts' {
  interface SessionEventMap {
    /** Log-only; so is `hook/result`, which follows it. */
    'hook/invoked': { turn: number; point: string; dialect: HookDialect; matcher?: string; handlerId: string };
    /** `updatedInput` and `systemMessage` are what the hook asked for; neither is acted upon. */
    'hook/result': {
      turn: number;
      point: string;
      handlerId: string;
      decision: HookDecision | 'stop' | 'pass';
      exitCode?: number;
      stderrSummary?: string;
      durationMs: number;
      updatedInput?: JsonValue;
      systemMessage?: string;
    };
  }
}
