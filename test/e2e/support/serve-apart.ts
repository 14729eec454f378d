import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { findPackageRoot } from '../../../src/cli/package-root.ts';
import { COMPILE_CACHE } from '../../support/compile-cache.ts';
import { commonVariables } from './stage.ts';
import type { Stage } from './stage.ts';

export interface ApartServer {
  /** As by `kill -9`. */
  kill(): void;
  readonly gone: Promise<unknown>;
}

/** `dsh serve` in a process of its own, to which GitHub delivers from now on. */
export async function serveApart(stage: Stage): Promise<ApartServer> {
  const { app } = stage.github;
  const env = {
    ...{ PATH: process.env.PATH, ...COMPILE_CACHE, ...commonVariables(stage), APP_ID: String(app.id), PORT: '0' },
    ...{ WEBHOOK_SECRET: app.webhookSecret, PRIVATE_KEY: app.privateKey },
  };
  const child = spawn(process.execPath, [`${findPackageRoot()}/src/cli.ts`, 'serve'], {
    env: env as NodeJS.ProcessEnv,
  });
  const gone = once(child, 'close');
  const url = await new Promise<string>((resolve, reject) => {
    let told = '';
    const read = (text: string) => {
      told += text;
      const found = /listens for webhooks at (\S+)/.exec(told)?.[1];
      if (found) resolve(found);
    };
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', read);
    void gone.then(() => reject(new Error(told)));
  });
  stage.github.setWebhookTarget(url);
  return { kill: () => void child.kill('SIGKILL'), gone };
}
