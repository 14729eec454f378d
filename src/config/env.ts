import { z } from 'zod';
import { DshError } from '../errors.ts';

const url = z.url({ protocol: /^https?$/ });
const empty = (schema: z.ZodType) => z.preprocess((value) => (value === '' ? undefined : value), schema);
const optional = <T extends z.ZodType>(schema: T) => empty(schema.optional()) as unknown as z.ZodOptional<T>;

/** The environment, read once at start. Names are fixed: other tools rely on them (docs/configuration.md). */
const Env = z.object({
  GITHUB_TOKEN: optional(z.string()),
  APP_ID: optional(z.string().regex(/^\d+$/, 'a number')),
  PRIVATE_KEY: optional(z.string()),
  PRIVATE_KEY_PATH: optional(z.string()),
  WEBHOOK_SECRET: optional(z.string()),
  NODE_ENV: optional(z.string()),
  GITHUB_CLIENT_ID: optional(z.string()),
  GITHUB_CLIENT_SECRET: optional(z.string()),
  DSH_PUBLIC_URL: optional(url),
  GITHUB_API_URL: empty(url.default('https://api.github.com')) as unknown as z.ZodDefault<z.ZodURL>,
  GITHUB_SERVER_URL: empty(url.default('https://github.com')) as unknown as z.ZodDefault<z.ZodURL>,
  GITHUB_GRAPHQL_URL: optional(url),
  DSH_MODEL: optional(z.string().regex(/^[^/\s]+\/\S+$/, 'provider/model, for example deepseek/deepseek-chat')),
  DSH_MODEL_BASE_URL: optional(url),
  DEEPSEEK_API_KEY: optional(z.string()),
  OPENAI_API_KEY: optional(z.string()),
  DATABASE_URL: optional(z.url({ protocol: /^postgres(ql)?$/, error: 'postgres://user:password@host/database' })),
  DSH_DATA_DIR: optional(z.string().startsWith('/', 'an absolute path')),
  XDG_STATE_HOME: optional(z.string()),
  HOME: optional(z.string()),
  RUNNER_TEMP: optional(z.string()),
  GITHUB_WORKSPACE: optional(z.string()),
  DSH_SANDBOX_IMAGE: optional(z.string()),
  DSH_CONFIG: optional(z.string()),
  DOCKER_HOST: optional(z.string()),
  HOST: empty(z.string().default('127.0.0.1')) as unknown as z.ZodDefault<z.ZodString>,
  PORT: empty(z.coerce.number().int().min(0).max(65535).default(3000)) as unknown as z.ZodDefault<z.ZodNumber>,
  LOG_LEVEL: empty(
    z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace']).default('info'),
  ) as unknown as z.ZodDefault<z.ZodEnum<Record<'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace', never>>>,
});
export type Env = z.infer<typeof Env> & { dataDir: string };

const SECRET = /TOKEN|SECRET|KEY|DATABASE_URL/;

/** Parses the environment. Throws `CONFIG_INVALID` naming the variable, what was given (secrets masked) and what is allowed. */
export function readEnv(env: Readonly<Record<string, string | undefined>>): Env {
  const parsed = Env.safeParse(env);
  if (!parsed.success) throw invalidEnv(parsed.error, env);
  return { ...parsed.data, dataDir: dataDirOf(parsed.data) };
}

function invalidEnv(error: z.ZodError, env: Readonly<Record<string, string | undefined>>): DshError {
  const lines = error.issues.map((issue) => {
    const name = String(issue.path[0]);
    const given = SECRET.test(name) ? '***' : JSON.stringify(env[name]);
    return `${name} is ${given}: ${issue.message}`;
  });
  return new DshError(lines.join('\n'), 'CONFIG_INVALID', 'Set the variable to an allowed value, or unset it.', {
    cause: error,
  });
}

function dataDirOf(env: z.infer<typeof Env>): string {
  if (env.DSH_DATA_DIR) return env.DSH_DATA_DIR;
  if (env.RUNNER_TEMP) return `${env.RUNNER_TEMP}/dsh`;
  return `${env.XDG_STATE_HOME ?? `${env.HOME ?? '/tmp'}/.local/state`}/dsh`;
}
