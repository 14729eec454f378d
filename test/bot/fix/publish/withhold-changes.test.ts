import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Fix } from '../../../../src/bot/fix/fix-state.ts';
import type { Workplace } from '../../../../src/bot/job/job-kind.ts';
import { withholdChanges } from '../../../../src/bot/fix/publish/withhold-changes.ts';
import type { Permissions } from '../../../../src/demo/github/records.ts';
import { startGitHub } from '../../../../src/demo/github/start-github.ts';
import type { GitHubServer } from '../../../../src/demo/github/start-github.ts';
import { readTreeChanges } from '../../../../src/github/tree/tree-changes.ts';
import { Redactor } from '../../../../src/publish/redact.ts';
import { openAccess } from '../../../../src/repository-access.ts';
import { GitFixture, writeFiles } from '../../../github/support/git-fixture.ts';

const SIGNAL = new AbortController().signal;
const LEAST: Permissions = { metadata: 'read', contents: 'write', issues: 'write', pull_requests: 'write' };

let github: GitHubServer;
let fixture: GitFixture;
beforeEach(() => {
  fixture = new GitFixture();
});
afterEach(async () => {
  fixture.close();
  await github.close();
});

/** Access as our app has it, with what its owner let it do. */
async function accessWith(permissions: Permissions) {
  github = await startGitHub({ permissions });
  const { owner } = await github.addRepository({ owner: 'acme', name: 'shop', files: { 'a.txt': 'a\n' } });
  const { app, state, apiUrl } = github;
  const installationId = state.installations.find(({ account }) => account === owner)!.id;
  const auth = { appId: app.id, privateKey: app.privateKey, installationId };
  const repo = { owner: 'acme', repo: 'shop' };
  return openAccess({
    auth,
    apiUrl,
    userAgent: 'test',
    self: {},
    ownLogin: app.botLogin,
    repo,
    redactor: new Redactor(),
  });
}

async function withheld(permissions: Permissions) {
  const access = await accessWith(permissions);
  fixture.commit({ 'a.txt': 'a\n' });
  const checkout = await fixture.open();
  writeFiles(checkout.workTree, { 'a.txt': 'b\n', '.github/workflows/ci.yml': 'on: push\n' });
  const workplace = { checkout, signal: SIGNAL } as unknown as Workplace;
  const fix = { redactor: new Redactor(), request: { access } } as unknown as Fix;
  return withholdChanges(workplace, await readTreeChanges(checkout), fix);
}

describe('bot-fix', () => {
  it('U1 without the permission a change to a workflow is offered as a patch', async () => {
    const { changes, notes, patch } = await withheld(LEAST);

    expect(changes.map(({ path }) => path)).toEqual(['a.txt']);
    expect(notes).toEqual([expect.stringContaining('Left out: .github/workflows/ci.yml')]);
    expect(patch).toContain('+on: push');
  });

  it('U1 X9 with the permission, which is by opt-in, it is published with the rest', async () => {
    const { changes, notes, patch } = await withheld({ ...LEAST, workflows: 'write' });

    expect(changes.map(({ path }) => path)).toEqual(['.github/workflows/ci.yml', 'a.txt']);
    expect(notes).toEqual([]);
    expect(patch).toBeUndefined();
  });

  it('U1 a file over 100 MB is left out with the reason, before anything is written', async () => {
    const access = await accessWith(LEAST);
    fixture.commit({ 'a.txt': 'a\n' });
    const checkout = await fixture.open();
    writeFiles(checkout.workTree, { 'a.txt': 'b\n', 'big.bin': new Uint8Array(100 * 1024 * 1024 + 1) });
    const workplace = { checkout, signal: SIGNAL } as unknown as Workplace;
    const fix = { redactor: new Redactor(), request: { access } } as unknown as Fix;

    const { changes, notes } = await withholdChanges(workplace, await readTreeChanges(checkout), fix);

    expect(changes.map(({ path }) => path)).toEqual(['a.txt']);
    expect(notes).toEqual(['Left out: big.bin (larger than 100 MB, which GitHub refuses).']);
  });
});
