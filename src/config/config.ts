import { z } from 'zod';
import { HookSettings } from './hook-settings.ts';

/** GitHub's base permissions and the two roles that refine them, weakest first. */
export const PERMISSIONS = ['read', 'triage', 'write', 'maintain', 'admin'] as const;
export type Permission = (typeof PERMISSIONS)[number];

const positive = z.number().int().positive();
const command = z.string().trim().min(1);

/** `provider/model`, for example `deepseek/deepseek-chat`. */
export const ModelRoute = z
  .string()
  .regex(/^[^/\s]+\/\S+$/, 'expected provider/model, for example deepseek/deepseek-chat');

/** A host name, or `*.` and a name for all below it; with `:port` where it is neither 80 nor 443. */
const NetworkHost = z
  .string()
  .regex(
    /^(\*\.)?([a-z0-9_-]+\.)+[a-z0-9_-]*[a-z_-][a-z0-9_-]*(:\d{1,5})?$/i,
    'expected a host name such as registry.example.com, *.example.com or example.com:8443',
  );

/** Everything a deployment or a repository can set. Unknown keys are errors. */
export const ConfigFile = z.strictObject({
  model: ModelRoute.optional(),
  modelBaseUrl: z.url().optional(),
  maxOutputTokens: positive.optional(),
  aliases: z
    .array(z.string().regex(/^\/\S+$/, 'expected a word that begins with /'))
    .min(1)
    .optional(),
  permissions: z
    .strictObject({ run: z.enum(PERMISSIONS), ask: z.enum([...PERMISSIONS, 'anyone']) })
    .partial()
    .optional(),
  allowBots: z.array(z.string()).optional(),
  branch: z
    .strictObject({ prefix: z.string().min(1) })
    .partial()
    .optional(),
  pull: z
    .strictObject({ base: z.string().min(1) })
    .partial()
    .optional(),
  verify: z
    .strictObject({ commands: z.array(command), rounds: z.number().int().min(0), timeoutMs: positive })
    .partial()
    .optional(),
  review: z
    .strictObject({
      auto: z.enum(['opened', 'every-push', 'off']),
      drafts: z.boolean(),
      ignore: z.array(z.string()),
      minConfidence: z.number().min(0).max(1),
      maxComments: z.number().int().min(0),
      blocking: z.boolean(),
    })
    .partial()
    .optional(),
  budget: z
    .strictObject({
      turn: z
        .strictObject({
          steps: positive,
          cost: z.number().positive(),
          tokens: positive,
          minutes: z.number().positive(),
        })
        .partial(),
    })
    .partial()
    .optional(),
  sandbox: z
    .strictObject({ image: z.string().min(1), memoryMb: positive, cpus: z.number().positive(), pids: positive })
    .partial()
    .optional(),
  /** What commands reach; `full` only ever by approval, for one call. */
  network: z.enum(['none', 'allow-list']).optional(),
  /** The allow-list, for commands and for setup. */
  networkHosts: z.array(NetworkHost).optional(),
  setup: z
    .strictObject({ commands: z.array(command), timeoutMs: positive })
    .partial()
    .optional(),
  progress: z.strictObject({ everyMs: positive }).partial().optional(),
  /** Operator only: commands that run beside the model's, in the sandbox. */
  hooks: HookSettings.optional(),
  /** Operator only: keys (dotted) that a repository may set although they widen what the operator allows. */
  allow: z.array(z.string()).optional(),
});
export type ConfigFile = z.infer<typeof ConfigFile>;

/** The checked configuration a job runs under: defaults, operator, repository and inputs in that order. */
export interface Config {
  readonly model: string | undefined;
  readonly modelBaseUrl: string | undefined;
  readonly maxOutputTokens: number;
  readonly aliases: readonly string[];
  readonly permissions: { readonly run: Permission; readonly ask: Permission | 'anyone' };
  readonly allowBots: readonly string[];
  readonly branch: { readonly prefix: string };
  readonly pull: { readonly base: string | undefined };
  readonly verify: {
    readonly commands: readonly string[] | undefined;
    readonly rounds: number;
    readonly timeoutMs: number;
  };
  readonly review: {
    readonly auto: 'opened' | 'every-push' | 'off';
    readonly drafts: boolean;
    readonly ignore: readonly string[];
    readonly minConfidence: number;
    readonly maxComments: number;
    readonly blocking: boolean;
  };
  /** Per turn; `cost` in US dollars. */
  readonly budget: {
    readonly turn: { readonly steps: number; readonly cost: number; readonly tokens: number; readonly minutes: number };
  };
  readonly sandbox: {
    readonly image: string | undefined;
    readonly memoryMb: number;
    readonly cpus: number;
    readonly pids: number;
  };
  readonly network: 'none' | 'allow-list';
  readonly networkHosts: readonly string[];
  /** `timeoutMs` is for all commands together. */
  readonly setup: { readonly commands: readonly string[]; readonly timeoutMs: number };
  readonly hooks: HookSettings | undefined;
  readonly progress: { readonly everyMs: number };
}

/** The public registries of npm, PyPI, Go, crates.io, RubyGems and Maven. */
const PACKAGE_REGISTRIES = [
  'registry.npmjs.org',
  'registry.yarnpkg.com',
  'pypi.org',
  'files.pythonhosted.org',
  'proxy.golang.org',
  'sum.golang.org',
  'index.crates.io',
  'static.crates.io',
  'crates.io',
  'rubygems.org',
  'index.rubygems.org',
  'repo.maven.apache.org',
  'repo1.maven.org',
];

export const DEFAULT_CONFIG: Config = {
  model: undefined,
  modelBaseUrl: undefined,
  maxOutputTokens: 65_536,
  aliases: ['/dsh'],
  permissions: { run: 'write', ask: 'write' },
  allowBots: [],
  branch: { prefix: 'dsh/' },
  pull: { base: undefined },
  verify: { commands: undefined, rounds: 3, timeoutMs: 600_000 },
  review: { auto: 'opened', drafts: false, ignore: [], minConfidence: 0.5, maxComments: 15, blocking: false },
  budget: { turn: { steps: 200, cost: 5, tokens: 5_000_000, minutes: 60 } },
  sandbox: { image: undefined, memoryMb: 2048, cpus: 2, pids: 512 },
  network: 'none',
  networkHosts: PACKAGE_REGISTRIES,
  setup: { commands: [], timeoutMs: 600_000 },
  hooks: undefined,
  progress: { everyMs: 5_000 },
};

/** Later layers win, key by key; `undefined` leaves what was there. */
export function mergeConfig(...layers: readonly ConfigFile[]): Config {
  const merged = layers.reduce<Record<string, unknown>>(mergeDeep, { ...DEFAULT_CONFIG });
  return merged as unknown as Config;
}

function mergeDeep(base: Record<string, unknown>, layer: object): Record<string, unknown> {
  const merged = { ...base };
  for (const [key, value] of Object.entries(layer)) {
    if (value === undefined) continue;
    const old = merged[key];
    merged[key] = isPlain(old) && isPlain(value) ? mergeDeep(old, value) : value;
  }
  return merged;
}

function isPlain(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
