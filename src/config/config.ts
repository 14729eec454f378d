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

/**
 * One rule of what needs a person's yes. `arguments` is a pattern for the command or the raw arguments, `path` one for
 * the file or, of a publication (`publish`), for every changed path; what is left out fits anything.
 */
export const ApprovalRule = z.strictObject({
  tool: z.string().min(1).optional(),
  arguments: z.string().min(1).optional(),
  path: z.string().min(1).optional(),
  then: z.enum(['ask', 'allow', 'deny']),
});
export type ApprovalRule = z.infer<typeof ApprovalRule>;

/** Everything a deployment or a repository can set. Unknown keys are errors. */
export const ConfigFile = z.strictObject({
  model: ModelRoute.optional(),
  modelBaseUrl: z.url().optional(),
  maxOutputTokens: positive.optional(),
  /** Tokens of a model's window that are used at most; also the window of a model that tells none. */
  workingWindow: positive.optional(),
  aliases: z
    .array(z.string().regex(/^\/\S+$/, 'expected a word that begins with /'))
    .min(1)
    .optional(),
  permissions: z
    .strictObject({
      run: z.enum(PERMISSIONS),
      ask: z.enum([...PERMISSIONS, 'anyone']),
      approve: z.enum(['write', 'maintain', 'admin']),
    })
    .partial()
    .optional(),
  allowBots: z.array(z.string()).optional(),
  /** Turns in a row that an allowed bot may start on one subject without a person's doing between them. */
  maxBotTurns: z.number().int().min(0).optional(),
  triggers: z
    .strictObject({ label: z.string().trim().min(1) })
    .partial()
    .optional(),
  goal: z.strictObject({ maxRounds: positive }).partial().optional(),
  /** Turns in a row that failed checks of our own branch may start; 0 for none. */
  checks: z
    .strictObject({ rounds: z.number().int().min(0) })
    .partial()
    .optional(),
  branch: z
    .strictObject({ prefix: z.string().min(1) })
    .partial()
    .optional(),
  pull: z
    .strictObject({ base: z.string().min(1) })
    .partial()
    .optional(),
  verify: z
    .strictObject({
      commands: z.array(command),
      rounds: z.number().int().min(0),
      timeoutMs: positive,
      proveTests: z.boolean(),
    })
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
      approve: z.boolean(),
      passes: z.number().int().min(1).max(3),
      debounceMs: z.number().int().min(0),
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
      day: z.strictObject({ person: z.number().positive(), repository: z.number().positive() }).partial(),
    })
    .partial()
    .optional(),
  sandbox: z
    .strictObject({
      image: z.string().min(1),
      memoryMb: positive,
      cpus: z.number().positive(),
      pids: positive,
      growthMb: positive,
      runtime: z.enum(['runc', 'runsc', 'kata']),
      env: z.record(z.string().regex(/^[A-Za-z_]\w*$/, 'expected the name of a variable'), z.string()),
      allowedEnv: z.array(z.string()),
    })
    .partial()
    .optional(),
  /** What commands reach; `full` only ever by approval, for one call. */
  network: z.enum(['none', 'allow-list']).optional(),
  /** The widest network that a person may open for one call. */
  networkBound: z.enum(['none', 'allow-list', 'full']).optional(),
  /** The allow-list, for commands and for setup. */
  networkHosts: z.array(NetworkHost).optional(),
  setup: z
    .strictObject({ commands: z.array(command), timeoutMs: positive })
    .partial()
    .optional(),
  progress: z.strictObject({ everyMs: positive }).partial().optional(),
  park: z
    .strictObject({ afterMs: z.number().int().min(0), maxSnapshotBytes: positive })
    .partial()
    .optional(),
  approval: z
    .strictObject({ timeoutMs: positive, fourEyes: z.boolean(), rules: z.array(ApprovalRule) })
    .partial()
    .optional(),
  /** Of the bot's own texts; unset, that of the person it speaks to. */
  language: z.enum(['en', 'zh']).optional(),
  /** Operator only: turns that one process of the App works at once. */
  worker: z.strictObject({ turns: positive }).partial().optional(),
  /** Operator only: how long running steps may take to end when the process is told to. */
  shutdown: z
    .strictObject({ graceMs: z.number().int().min(0) })
    .partial()
    .optional(),
  /** Operator only: days after which an archived session is erased. */
  retention: z
    .strictObject({ archivedDays: z.number().int().min(0) })
    .partial()
    .optional(),
  checkout: z
    .strictObject({ fullBelowMb: positive, lfs: z.boolean(), submodules: z.array(z.string().trim().min(1)) })
    .partial()
    .optional(),
  selfReview: z
    .strictObject({ rounds: z.number().int().min(0) })
    .partial()
    .optional(),
  /** Whether `fix` and `ask` have a tool that hands reading to a child agent. */
  subagents: z.boolean().optional(),
  /** Whether sessions are named by their first words, or by a model that reads them. */
  titles: z.enum(['text', 'model']).optional(),
  /** Operator only: folders of this machine with skills for every repository. */
  skills: z
    .strictObject({ dirs: z.array(z.string().min(1)) })
    .partial()
    .optional(),
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

/** Files that nobody wrote: locks, minified and vendored code. */
const UNWRITTEN = [
  ...['package-lock.json', 'npm-shrinkwrap.json', 'yarn.lock', 'pnpm-lock.yaml', 'bun.lock', 'Cargo.lock'],
  ...['poetry.lock', 'uv.lock', 'Pipfile.lock', 'composer.lock', 'Gemfile.lock', 'go.sum', '*.min.js', '*.min.css'],
  ...['*.map', 'node_modules/**', 'vendor/**', 'third_party/**'],
].map((pattern) => `**/${pattern}`);

export const DEFAULT_CONFIG: Config = {
  model: undefined,
  modelBaseUrl: undefined,
  maxOutputTokens: 65_536,
  workingWindow: 128_000,
  aliases: ['/dsh'],
  permissions: { run: 'write', ask: 'write', approve: 'write' },
  allowBots: [],
  maxBotTurns: 3,
  triggers: { label: 'dsh' },
  goal: { maxRounds: 8 },
  checks: { rounds: 2 },
  branch: { prefix: 'dsh/' },
  pull: { base: undefined },
  verify: { commands: undefined, rounds: 3, timeoutMs: 600_000, proveTests: true },
  selfReview: { rounds: 3 },
  review: {
    auto: 'opened',
    drafts: false,
    ignore: UNWRITTEN,
    minConfidence: 0.5,
    maxComments: 15,
    blocking: false,
    approve: false,
    passes: 1,
    debounceMs: 120_000,
  },
  budget: {
    turn: { steps: 200, cost: 5, tokens: 5_000_000, minutes: 60 },
    day: { person: 20, repository: 50 },
  },
  sandbox: {
    image: undefined,
    memoryMb: 2048,
    cpus: 2,
    pids: 512,
    growthMb: 10_240,
    runtime: undefined,
    env: {},
    allowedEnv: [],
  },
  network: 'none',
  networkBound: 'full',
  networkHosts: PACKAGE_REGISTRIES,
  setup: { commands: [], timeoutMs: 600_000 },
  subagents: false,
  titles: 'text',
  checkout: { fullBelowMb: 500, lfs: false, submodules: [] },
  skills: { dirs: [] },
  hooks: undefined,
  progress: { everyMs: 5_000 },
  park: { afterMs: 60_000, maxSnapshotBytes: 64 * 1024 * 1024 },
  approval: { timeoutMs: 24 * 60 * 60 * 1000, fourEyes: false, rules: [] },
  language: undefined,
  worker: { turns: 4 },
  shutdown: { graceMs: 20_000 },
  retention: { archivedDays: 30 },
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
