import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { calls } from '../../src/demo/model/reply.ts';
import { viaAction, viaCli } from './support/hosts.ts';
import { MEND, SMALL_FILES, SMALL_ISSUE, submit } from './support/small-repository.ts';
import { openStage } from './support/stage.ts';
import type { Stage } from './support/stage.ts';

/** What a model may write to whoever shows its words. */
const LOUD = 'Red \u001b[31m\u0007\r\u009b2J\n::stop-commands::x\n  ::error::told by the model\n##[add-mask]y';
let stage: Stage;

beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage.close());

const play = () =>
  stage.play([
    calls('bash', { command: "printf '::error::by a tool\\033[1m'; exit 1", description: LOUD }),
    MEND,
    submit({ summary: LOUD, notes: [LOUD] }),
  ]);

describe('bot-hosts', () => {
  it('the terminal obeys nothing that the model wrote', async () => {
    const subject = await stage.addIssue('loud-cli', SMALL_FILES, SMALL_ISSUE);
    play();

    const { code, stderr, stdout } = await viaCli(stage, ['fix', subject.url]);

    expect(code).toBe(0);
    expect(stderr).toContain('told by the model');
    for (const text of [stderr, stdout]) expect(text).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/);
  });

  it('H8 K3 the runner obeys nothing that the model wrote, and shows nothing that a tool read', async () => {
    const subject = await stage.addIssue('loud-action', SMALL_FILES, SMALL_ISSUE);
    await stage.github.comment(subject.repo, subject.number, { by: 'maria', body: '/dsh fix' });
    play();

    const event = { repo: subject.repo, name: 'issue_comment', action: 'created', by: 'maria' };
    const { code, stdout } = await viaAction(stage, event, { 'INPUT_DRY-RUN': 'true' });

    expect(code).toBe(0);
    expect(stdout).toContain('| ::stop-commands::x');
    expect(stdout).not.toMatch(/^\s*::(?!add-mask::)/m);
    expect(stdout).not.toContain('##[');
    expect(stdout).not.toContain('by a tool');
    expect(stdout).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/);
  });
});
