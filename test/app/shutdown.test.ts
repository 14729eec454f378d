import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { serveApp } from '../../src/app.ts';
import { readIdentity } from '../../src/cli/identity.ts';
import type { ConfigFile } from '../../src/config/config-file.ts';
import { readEnv } from '../../src/config/env.ts';
import { createBot } from '../../src/create-bot.ts';
import { MEND, SMALL_FILES, SMALL_ISSUE, submit } from '../e2e/support/small-repository.ts';
import { viaApp } from '../e2e/support/hosts.ts';
import { botComments, pullsOf, reactionsOn, issueOf } from '../e2e/support/look.ts';
import { commonVariables, openStage } from '../e2e/support/stage.ts';
import type { Stage, Subject } from '../e2e/support/stage.ts';

let stage: Stage;
beforeAll(async () => void (stage = await openStage()));
afterAll(async () => {
  expect(await stage.close()).toEqual([]);
});

async function start(operator: ConfigFile = {}) {
  const { github } = stage;
  const env = readEnv({
    ...commonVariables(stage),
    ...{ APP_ID: String(github.app.id), WEBHOOK_SECRET: github.app.webhookSecret, PORT: '0' },
  });
  const logged: string[] = [];
  const log = (message: string, error?: unknown) => void logged.push(`${message} ${String(error)}`);
  const bot = createBot({ env, identity: readIdentity(), log, leaseMs: 2_000 });
  const app = await serveApp({
    ...{ env, bot, operator, log, privateKey: github.app.privateKey, userAgent: 'dsh-test' },
  });
  github.setWebhookTarget(app.url);
  const close = async () => {
    const from = performance.now();
    await app.close();
    await bot.close();
    return performance.now() - from;
  };
  return { app, bot, logged, close };
}

const ask = ({ repo, number }: Subject) => stage.github.comment(repo, number, { by: 'maria', body: '/dsh fix' });
async function until(holds: () => boolean): Promise<void> {
  for (let waited = 0; !holds() && waited < 20_000; waited += 20) await sleep(20);
}

async function expectTakenUp(subject: Subject): Promise<void> {
  expect(botComments(stage, subject)[0]?.body).toContain('**Working on it**');
  expect(reactionsOn(issueOf(stage, subject).comments[0]!)).toEqual(['dsh[bot] eyes']);
  stage.play(({ messages }) => (JSON.stringify(messages).includes('hello') ? submit() : MEND));
  await viaApp(stage, async () => {});
  expect(pullsOf(stage, subject.repo)).toHaveLength(1);
  expect(botComments(stage, subject)).toHaveLength(1);
  expect(botComments(stage, subject)[0]?.body).toContain('**Done**');
}

describe('bot-hosts', () => {
  it('H3 told to end, it lets the running step end and hands the turn back; the next process ends it', async () => {
    const subject = await stage.addIssue('graceful', SMALL_FILES, SMALL_ISSUE);
    const gate = Promise.withResolvers<void>();
    stage.play(async (_request, index) => {
      if (index === 0) await gate.promise;
      return MEND;
    });
    const first = await start();
    await ask(subject);
    await until(() => stage.model.requests.length > 0);
    const asked = stage.model.requests.length;
    setTimeout(gate.resolve, 500);

    const took = await first.close();

    expect(took).toBeGreaterThan(400);
    expect(took).toBeLessThan(15_000);
    expect(stage.model.requests).toHaveLength(asked);
    await expectTakenUp(subject);
  }, 60_000);

  it('H3 a step that does not end in time is cut off', async () => {
    const subject = await stage.addIssue('grace', SMALL_FILES, SMALL_ISSUE);
    stage.play(() => new Promise(() => {}));
    const first = await start({ shutdown: { graceMs: 300 } });
    const before = stage.model.requests.length;
    await ask(subject);
    await until(() => stage.model.requests.length > before);

    expect(await first.close()).toBeLessThan(10_000);
    await expectTakenUp(subject);
  }, 60_000);
});
