import { readFile } from 'node:fs/promises';
import type { ConfigFile } from '../config/config-file.ts';
import { readEnv } from '../config/env.ts';
import type { Env } from '../config/env.ts';
import { readConfigFile } from '../config/read-config-file.ts';
import { createBot } from '../create-bot.ts';
import type { Bot } from '../create-bot.ts';
import { DshError } from '../errors.ts';
import { readIdentity } from './identity.ts';
import { prepareDataDir } from './prepare-data-dir.ts';

export interface OpenHost {
  readonly env: Env;
  readonly operator: ConfigFile;
  readonly bot: Bot;
  readonly userAgent: string;
}

/** What every host starts with: the checked environment, the operator's file, the bot. */
export async function openHost(
  variables: Readonly<Record<string, string | undefined>>,
  log: (message: string, error?: unknown) => void,
  apiKey?: string,
): Promise<OpenHost> {
  const env = readEnv(variables);
  const operator = env.DSH_CONFIG ? readConfigFile(await readOperatorFile(env.DSH_CONFIG), env.DSH_CONFIG) : {};
  await prepareDataDir(env.dataDir);
  const identity = readIdentity();
  const bot = createBot({ env, identity, log, apiKey });
  // Beside the work, which does not wait for it.
  void bot.sweepLeftovers();
  return { env, operator, bot, userAgent: `${identity.product}/${identity.version}` };
}

async function readOperatorFile(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (cause) {
    throw new DshError(
      `DSH_CONFIG names ${path}, which cannot be read.`,
      'CONFIG_INVALID',
      'Correct the path, or unset DSH_CONFIG.',
      { cause },
    );
  }
}
