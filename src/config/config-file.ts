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
  /** Whether `fix` and `ask` have a tool that hands reading to a child agent, and `fix` one that hands over parts of the change. */
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
