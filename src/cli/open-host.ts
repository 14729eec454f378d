import type { ConfigFile } from '../config/config-file.ts';
import { readEnv } from '../config/env.ts';
import type { Env } from '../config/env.ts';
import type { Bot, BotOptions } from '../create-bot.ts';
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
  own: Pick<BotOptions, 'apiKey' | 'isKept'> = {},
): Promise<OpenHost> {
  const env = readEnv(variables);
  const operator = env.DSH_CONFIG ? await readOperator(env.DSH_CONFIG) : {};
  await prepareDataDir(env.dataDir);
  const identity = readIdentity();
  // After what may be wrong was looked at: it is most of the program.
  const { createBot } = await import('../create-bot.ts');
  const bot = createBot({ env, identity, log, ...own });
  // Beside the work, which does not wait for it.
  void bot.sweepLeftovers();
  return { env, operator, bot, userAgent: `${identity.product}/${identity.version}` };
}

async function readOperator(file: string): Promise<ConfigFile> {
  const { readOperatorFile } = await import('../config/read-operator-file.ts');
  return await readOperatorFile(file);
}
