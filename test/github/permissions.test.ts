import { describe, expect, it, test } from '@jest/globals';
import { createGitHub } from '../../src/github/client.ts';
import { atLeast, createPermissionLookup, readPermission } from '../../src/github/permissions.ts';
import { FakeClock } from './support/fake-clock.ts';
import { scriptedFetch, type Answer } from './support/scripted-fetch.ts';

const repo = { owner: 'acme', repo: 'shop' };

function lookup(...answers: Answer[]) {
  const clock = new FakeClock();
  const { fetch, sent } = scriptedFetch(...answers);
  return { ask: createPermissionLookup(createGitHub({ auth: 't', fetch, clock }), clock), sent, clock };
}

const can = (permission: string, role_name = permission): Answer => ({ body: { permission, role_name } });

describe('bot-triggers', () => {
  test.each([
    ['admin', 'admin', 'admin'],
    ['write', 'maintain', 'maintain'],
    ['write', 'write', 'write'],
    ['write', 'release-manager', 'write'],
    ['read', 'triage', 'triage'],
    ['read', 'read', 'read'],
    ['read', 'admin', 'read'],
    ['read', 'maintain', 'read'],
    ['none', 'none', 'none'],
    ['none', 'triage', 'none'],
    ['something new', 'admin', 'none'],
  ])('base %s with role %s counts as %s', (permission, role_name, expected) => {
    expect(readPermission({ permission, role_name })).toBe(expected);
  });

  it('asks again after 60 seconds, not before', async () => {
    const { ask, sent, clock } = lookup(can('write'), can('none'));

    expect(await ask(repo, 'ada')).toEqual({ kind: 'known', permission: 'write' });
    clock.advance(59_999);
    expect(await ask(repo, 'Ada')).toEqual({ kind: 'known', permission: 'write' });
    expect(sent).toHaveLength(1);
    clock.advance(1);
    expect(await ask(repo, 'ada')).toEqual({ kind: 'known', permission: 'none' });
  });

  it('orders permissions', () => {
    expect(atLeast('maintain', 'write')).toBe(true);
    expect(atLeast('triage', 'write')).toBe(false);
  });
});

describe('cases', () => {
  it('B1 believes the permission and not the association', async () => {
    const { ask, sent } = lookup({ body: { permission: 'write', role_name: 'maintain', user: { login: 'ada' } } });

    expect(await ask(repo, 'ada')).toEqual({ kind: 'known', permission: 'maintain' });
    expect(sent.map(({ url }) => url)).toEqual(['https://api.github.com/repos/acme/shop/collaborators/ada/permission']);
  });

  it('B2 takes 404 for no permission', async () => {
    const { ask, sent } = lookup({ status: 404 });

    expect(await ask(repo, 'stranger')).toEqual({ kind: 'known', permission: 'none' });
    expect(sent).toHaveLength(1);
  });

  test.each([403, 500, 503])(
    'B2 could not check when GitHub keeps answering %i, and asks anew next time',
    async (status) => {
      const { ask } = lookup(...Array.from({ length: 12 }, () => ({ status })), can('admin'));

      expect(await ask(repo, 'ada')).toEqual({ kind: 'could-not-check', why: `GitHub answered ${status}` });
      while ((await ask(repo, 'ada')).kind !== 'known');
      expect(await ask(repo, 'ada')).toEqual({ kind: 'known', permission: 'admin' });
    },
  );

  it('B2 tries a 403 again before it gives up', async () => {
    const { ask, sent } = lookup({ status: 403 }, can('write'));

    expect(await ask(repo, 'ada')).toEqual({ kind: 'known', permission: 'write' });
    expect(sent).toHaveLength(2);
  });

  it('B3 asks for the exact login of an app, its name telling nothing', async () => {
    const { ask, sent } = lookup({ status: 404 });

    expect(await ask(repo, 'evil-app[bot]')).toEqual({ kind: 'known', permission: 'none' });
    expect(sent[0]!.url).toContain('/collaborators/evil-app%5Bbot%5D/permission');
  });
});
