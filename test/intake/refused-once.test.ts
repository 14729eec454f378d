import { describe, expect, it } from '@jest/globals';
import { handleEvent } from '../../src/handle-event.ts';
import type { Host } from '../../src/handle-event.ts';
import { openMemoryStore } from '../../src/store/open-store.ts';
import { issue, person, repository, said } from '../triggers/support/payloads.ts';

describe('bot-security', () => {
  it('X12 a comment of many commands by somebody who may not is refused once', async () => {
    const { records, sessions } = openMemoryStore(() => new Date());
    const refused: unknown[] = [];
    const live = { of: () => undefined, sessions: [] };
    const limit = { count: async () => 1, isTold: async () => false };
    const host = {
      ...{ operator: {}, inputs: {}, self: {}, causeTaken: async () => false, signal: new AbortController().signal },
      services: { records, sessions, live, limit, plugged: async () => [], now: () => new Date() },
      openRepository: async () => ({
        ...{ self: {}, repo: { owner: 'o', repo: 'r' }, repositoryConfig: async () => ({}) },
        permissionOf: async () => ({ kind: 'known', permission: 'read' }),
      }),
      surfaceFor: () => ({ refused: async (refusal: unknown) => void refused.push(refusal) }),
    } as unknown as Host;
    const body = '/dsh stop\n/dsh fix\n/dsh undo\n/dsh forget\n'.repeat(10);
    const payload = { action: 'created', sender: person, repository, issue, comment: said(body) };

    const handled = await handleEvent({ name: 'issue_comment', delivery: 'd', payload } as never, host);

    expect(refused).toHaveLength(1);
    expect(handled[0]).toMatchObject({ status: 'refused', why: 'no-permission' });
    expect(new Set(handled.slice(1).map(({ status }) => status))).toEqual(new Set(['ignored']));
  });
});
