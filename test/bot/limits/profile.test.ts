import { describe, expect, it } from '@jest/globals';
import { networkOf, profileOf } from '../../../src/bot/limits/profile.ts';
import { refusedHosts } from '../../../src/bot/telling/refused-hosts.ts';
import { describeEnding } from '../../../src/bot/telling/describe-ending.ts';
import { SessionId } from '../../../src/harness/session/types.ts';
import { assembleBody } from '../../../src/publish/markdown/body.ts';
import type { RefusedHost } from '../../../src/bot/telling/refused-hosts.ts';

const ours = { sameRepository: true, author: 'write' } as const;

describe('bot-security', () => {
  it.each([
    ['an issue, asked for by a writer', { asker: 'write', run: 'write' }, 'trusted'],
    ['an issue, asked for by an outsider', { asker: 'read', run: 'write' }, 'untrusted'],
    ['an issue, asked for by somebody GitHub said nothing of', { asker: 'could-not-check', run: 'read' }, 'untrusted'],
    ['a writer’s pull request, automatically', { run: 'write', pull: ours }, 'trusted'],
    ['a writer’s pull request, asked for by an outsider', { asker: 'none', run: 'write', pull: ours }, 'untrusted'],
    ['an outsider’s pull request, automatically', { run: 'write', pull: { ...ours, author: 'triage' } }, 'untrusted'],
    [
      'an outsider’s pull request, asked for by an admin',
      { asker: 'admin', run: 'write', pull: { ...ours, author: 'none' } },
      'untrusted',
    ],
    [
      'a fork’s, by a writer, asked for by an admin',
      { asker: 'admin', run: 'write', pull: { ...ours, sameRepository: false } },
      'untrusted',
    ],
    ['an author GitHub said nothing of', { run: 'write', pull: { ...ours, author: 'could-not-check' } }, 'untrusted'],
  ] as const)('X4 the profile of %s', (_case, facts, profile) => {
    expect(profileOf(facts)).toBe(profile);
  });

  it('X4 an untrusted turn has no network, whatever is configured', () => {
    expect(networkOf('untrusted', { network: 'allow-list' })).toBe('none');
    expect(networkOf('trusted', { network: 'allow-list' })).toBe('allow-list');
    expect(networkOf('trusted', { network: 'none' })).toBe('none');
  });
});

describe('cases', () => {
  const event = (...requests: object[]) => ({ type: 'sandbox/network', data: { turn: 1, requests } }) as never;
  const body = (refused: readonly RefusedHost[]) =>
    assembleBody(
      describeEnding({
        ...{ status: 'completed', session: SessionId('s'), produced: { kind: 'nothing' }, summary: '', verify: [] },
        ...{ problem: undefined, refused, setupProblem: undefined, tokens: 0, cost: undefined },
      }).parts,
    );

  it('N14 tells each refused host once', () => {
    const refused = { host: 'a.test', port: 443, verdict: 'refused', reason: 'not on the list', count: 3 };
    const events = [
      event(refused, { ...refused, host: 'b.test', verdict: 'allowed' }),
      event(refused, { ...refused, port: 22 }),
    ];

    expect(refusedHosts(events)).toEqual([
      { host: 'a.test', port: 443, reason: 'not on the list' },
      { host: 'a.test', port: 22, reason: 'not on the list' },
    ]);
    expect(body(refusedHosts(events))).toContain(
      'The network refused: `a.test` (not on the list), `a.test:22` (not on the list).',
    );
  });

  it('N14 shows ten hosts and counts the rest', () => {
    const many = Array.from({ length: 14 }, (_, number) => ({
      host: `h${number}.test`,
      port: 443,
      reason: 'not on the list',
    }));
    expect(body(many)).toMatch(/`h9.test` \(not on the list\), 4 more\./);
    expect(body(many)).not.toContain('h10.test');
    expect(body([])).not.toContain('network');
  });
});
