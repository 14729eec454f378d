import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Profile } from '../../../src/bot/limits/profile.ts';
import { mergeConfig } from '../../../src/config/merge-config.ts';
import { readConfigFile } from '../../../src/config/read-config-file.ts';
import { mountHooks } from '../../../src/room/mount-hooks.ts';
import { viaCli } from '../../e2e/support/hosts.ts';
import { MEND, SMALL_FILES, SMALL_ISSUE, submit } from '../../e2e/support/small-repository.ts';
import { openStage } from '../../e2e/support/stage.ts';
import type { Stage } from '../../e2e/support/stage.ts';
import { bench, text, tool } from '../../harness/agent/agent-bench.ts';
import { MemoryBash } from '../../support/memory-bash.ts';
import { calls, says } from '../../support/scripted-model.ts';
import { resultTexts } from './hook-bench.ts';

const OPERATOR = `
hooks:
  claude:
    UserPromptSubmit:
      - hooks: [{ command: 'echo "{\\"hookSpecificOutput\\":{\\"hookEventName\\":\\"UserPromptSubmit\\",\\"additionalContext\\":\\"the house rule: $(head -c 4 greet.txt)\\"}}"' }]
    PreToolUse:
      - matcher: bash
        hooks: [{ command: 'echo "not in this house" >&2; exit 2' }]
  codex:
    PreToolUse:
      - matcher: ^bash$
        hooks: [{ command: watch, timeout: 5 }]
`;

async function commandsOf(profile: Profile) {
  const b = await bench([calls('bash'), says('ok')]);
  const bash = new MemoryBash();
  b.ctx.provide('bash', bash);
  b.ctx.tools.register(tool('bash'));
  await mountHooks(b.ctx, { profile, config: mergeConfig(readConfigFile(OPERATOR, 'operator.yml')) });
  const { agent } = await b.create();
  agent.send(text('go'));
  await agent.whenIdle();
  return { agent, ran: bash.specs.map(({ command, timeoutMs }) => [command.split(' ')[0], timeoutMs]) };
}

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(async () => {
  expect(await stage.close()).toEqual([]);
});

describe('hooks', () => {
  it('H10 a trusted session runs the hooks of both dialects, a minute each unless they say less', async () => {
    const { ran } = await commandsOf('trusted');

    expect(ran).toEqual([
      ['echo', 60_000],
      ['echo', 60_000],
      ['watch', 5_000],
    ]);
  });

  it('H10 an untrusted session runs none', async () => {
    const { agent, ran } = await commandsOf('untrusted');

    expect(ran).toEqual([]);
    expect(resultTexts(agent.session)).toEqual(['bash done']);
  });

  it('H10 hooks of the operator file act in a whole job, inside its sandbox', async () => {
    const subject = await stage.addIssue('hooked', SMALL_FILES, SMALL_ISSUE);
    const config = join(stage.root, 'operator.yml');
    await writeFile(config, OPERATOR);
    stage.play([MEND, submit({ outcome: 'nothing_to_do' })]);

    const cli = await viaCli(stage, ['fix', subject.url], { DSH_CONFIG: config });

    const { messages } = stage.model.requests.at(-1)!.body as { messages: { content: unknown }[] };
    const sent = messages.map(({ content }) => String(content));
    expect(cli.code).toBe(0);
    expect(sent).toContain('the house rule: helo');
    expect(sent).toContain('Error: not in this house');
  });
});
