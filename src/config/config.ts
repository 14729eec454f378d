import type { ApprovalRule, Permission } from './config-file.ts';
import type { HookSettings } from './hook-settings.ts';

/** The checked configuration a job runs under: defaults, operator, repository and inputs in that order. */
export interface Config {
  readonly model: string | undefined;
  readonly modelBaseUrl: string | undefined;
  readonly maxOutputTokens: number;
  readonly workingWindow: number;
  readonly aliases: readonly string[];
  readonly permissions: {
    readonly run: Permission;
    readonly ask: Permission | 'anyone';
    readonly approve: 'write' | 'maintain' | 'admin';
  };
  readonly allowBots: readonly string[];
  readonly maxBotTurns: number;
  readonly triggers: { readonly label: string };
  readonly goal: { readonly maxRounds: number };
  readonly checks: { readonly rounds: number };
  readonly branch: { readonly prefix: string };
  readonly pull: { readonly base: string | undefined };
  readonly verify: {
    readonly commands: readonly string[] | undefined;
    readonly rounds: number;
    readonly timeoutMs: number;
    /** Whether changed tests are run without the rest of the change, too. */
    readonly proveTests: boolean;
  };
  /** How often a turn's change is shown to the model before its result counts. */
  readonly selfReview: { readonly rounds: number };
  readonly review: {
    readonly auto: 'opened' | 'every-push' | 'off';
    readonly drafts: boolean;
    readonly ignore: readonly string[];
    readonly minConfidence: number;
    readonly maxComments: number;
    readonly blocking: boolean;
    /** Whether a change in which nothing is found is approved. */
    readonly approve: boolean;
    /** Readers of the same change, independent of each other. */
    readonly passes: number;
    /** How long a push waits for the next one before it is reviewed. */
    readonly debounceMs: number;
  };
  /** Per turn; `cost` in US dollars. */
  readonly budget: {
    readonly turn: { readonly steps: number; readonly cost: number; readonly tokens: number; readonly minutes: number };
    /** US dollars, from midnight to midnight UTC. */
    readonly day: { readonly person: number; readonly repository: number };
  };
  readonly sandbox: {
    readonly image: string | undefined;
    readonly memoryMb: number;
    readonly cpus: number;
    readonly pids: number;
    /** How much the commands of a session may add to its work tree. */
    readonly growthMb: number;
    /** Of the containers; the engine's own one where it is left out. */
    readonly runtime: 'runc' | 'runsc' | 'kata' | undefined;
    /** What commands find in their environment beside our own; what looks like a secret only where `allowedEnv` names it. */
    readonly env: Readonly<Record<string, string>>;
    readonly allowedEnv: readonly string[];
  };
  readonly network: 'none' | 'allow-list';
  readonly networkBound: 'none' | 'allow-list' | 'full';
  readonly networkHosts: readonly string[];
  /** `timeoutMs` is for all commands together. */
  readonly setup: { readonly commands: readonly string[]; readonly timeoutMs: number };
  readonly subagents: boolean;
  readonly titles: 'text' | 'model';
  readonly checkout: {
    /** Larger repositories are mirrored without the contents of earlier commits. */
    readonly fullBelowMb: number;
    /** Whether the contents of LFS files are fetched. */
    readonly lfs: boolean;
    /** Owners, beside the repository's own, whose submodules are fetched. */
    readonly submodules: readonly string[];
  };
  readonly skills: { readonly dirs: readonly string[] };
  readonly hooks: HookSettings | undefined;
  readonly progress: { readonly everyMs: number };
  /** `afterMs` is how long a turn holds on while a person is asked; the other bounds kept changes before they are compressed. */
  readonly park: { readonly afterMs: number; readonly maxSnapshotBytes: number };
  readonly approval: {
    readonly timeoutMs: number;
    readonly fourEyes: boolean;
    readonly rules: readonly ApprovalRule[];
  };
  readonly language: 'en' | 'zh' | undefined;
  readonly worker: { readonly turns: number };
  readonly shutdown: { readonly graceMs: number };
  readonly retention: { readonly archivedDays: number };
}
