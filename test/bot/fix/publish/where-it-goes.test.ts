import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Fix } from '../../../../src/bot/fix/fix-state.ts';
import { stagedWhereItGoes } from '../../../../src/bot/fix/publish/where-it-goes.ts';
import type { Workplace } from '../../../../src/bot/job/job-kind.ts';
import { readTreeChanges } from '../../../../src/github/tree/tree-changes.ts';
import { DemoGitHub, REPO } from '../../../github/support/demo-github.ts';

let demo: DemoGitHub;
beforeAll(async () => {
  demo = await DemoGitHub.start();
});
afterAll(() => demo.close());

describe('bot-fix', () => {
  it('U3 A6 what people are asked about stands on the base once our own pull request is closed, as what is published does', async () => {
    const name = 'acme/shop';
    const branch = 'dsh/issue-1';
    const head = await demo.server.push(name, { by: 'acme', branch, from: 'main', files: { 'first.txt': '1\n' } });
    const { number } = await demo.server.openPull(name, {
      by: 'acme',
      title: 'Ours',
      body: '',
      head: branch,
      base: 'main',
    });
    const checkout = await demo.open({ kind: 'branch', branch });
    writeFileSync(join(checkout.workTree, 'second.txt'), '2\n');
    const { changes } = await readTreeChanges(checkout);
    const main = await demo.server.push(name, { by: 'acme', branch: 'main', files: { 'main.txt': 'm\n' } });
    const access = { github: demo.connect(), repo: REPO };
    const fix = { own: { number, branch }, request: { access, config: { pull: {} } } } as unknown as Fix;
    const subject = { repository: { defaultBranch: 'main' } };
    const workplace = { checkout, subject, signal: AbortSignal.timeout(20_000) } as unknown as Workplace;

    const open = await stagedWhereItGoes(workplace, fix, changes);
    await demo.server.editIssue(name, number, { by: 'acme', state: 'closed' });
    const closed = await stagedWhereItGoes(workplace, fix, changes);

    expect([open.parentSha, closed.parentSha]).toEqual([head, main]);
    expect(closed.changes.map(({ path }) => path)).toEqual(['first.txt', 'second.txt']);
  });
});
