import { createRequire } from 'node:module';
import { describe, expect, it } from '@jest/globals';
import { readInstallation } from '../../src/triggers/read-installation.ts';

type Json = Record<string, unknown>;
const examples = createRequire(import.meta.url)('@octokit/webhooks-examples') as { name: string; examples: Json[] }[];
const read = (name: string, payload: unknown) => readInstallation({ name, delivery: 'd', payload: payload as never });

describe('bot-triggers', () => {
  it.each([
    ['installation', { action: 'deleted', repositories: [{ id: 9 }] }, { why: 'uninstalled', repositories: [9] }],
    ['installation', { action: 'suspend' }, { why: 'suspended', repositories: [] }],
    [
      'installation_repositories',
      { action: 'removed', repositories_removed: [{ id: 9 }] },
      { why: 'uninstalled', repositories: [9] },
    ],
    ['installation_repositories', { action: 'added', repositories_added: [{ id: 9 }] }, undefined],
    ['installation', { action: 'created', repositories: [{ id: 9 }] }, undefined],
    ['issues', { action: 'deleted' }, undefined],
  ])('T12 reads %s %j', (name, payload, removed) => {
    expect(read(name, payload)).toEqual(removed);
  });

  it('T12 reads every example of these events, and any other shape, without throwing', () => {
    const all = examples.flatMap(({ name, examples: list }) => list.map((payload) => read(name, payload)));

    expect(all.some((removed) => removed?.why === 'uninstalled')).toBe(true);
    for (const payload of [null, 3, [], { action: 'deleted', repositories: 'x' }])
      expect(read('installation', payload)).toBeUndefined();
  });
});
