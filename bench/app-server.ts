import { serveApp } from '../src/app.ts';
import { readIdentity } from '../src/cli/identity.ts';
import { readEnv } from '../src/config/env.ts';
import { createBot } from '../src/create-bot.ts';

const env = readEnv(process.env);
const log = () => {};
const bot = createBot({ env, identity: readIdentity(), log });
const app = await serveApp({
  ...{ env, bot, log, operator: {}, privateKey: env.PRIVATE_KEY!, userAgent: 'dsh-bench' },
});
process.send!({ url: app.url });
