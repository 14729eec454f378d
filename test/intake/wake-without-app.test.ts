import { describe, expect, it } from '@jest/globals';
import { PeopleService } from '../../src/bot/people/people.ts';
import { wakeDelivery } from '../../src/bot/people/wake/wake-delivery.ts';
import { LiveTurns } from '../../src/bot/job/live-turns.ts';
import { handleEvent } from '../../src/handle-event.ts';
import type { Host } from '../../src/handle-event.ts';
import { DshError } from '../../src/errors.ts';
import { Redactor } from '../../src/publish/redact.ts';
import { openMemoryStore } from '../../src/store/open-store.ts';
import { approvalRequest } from '../bot/people/request-fixture.ts';

describe('bot-human-loop', () => {
  it('S3 A5 a request whose app was taken away unseen is given up when its time is over, and woken no more', async () => {
    const now = () => new Date(5_000);
    const { records } = openMemoryStore(now);
    const live = new LiveTurns();
    const redactor = new Redactor();
    const parts = { requests: records.requests, live, now, redactor, redact: (text: string) => text, log: () => {} };
    const people = new PeopleService({ ...parts, logOf: async () => [] });
    const gone = new DshError('The app is not installed here any more.', 'INSTALLATION_GONE', 'Install it.');
    const host = {
      ...{ operator: {}, inputs: {}, self: {}, services: { records, people, live, now, log: () => {} } },
      openRepository: async () => ({ self: {}, repositoryConfig: () => Promise.reject(gone) }),
      surfaceFor: () => ({}),
    } as unknown as Host;
    const request = approvalRequest();
    await records.requests.add(request);
    const repo = { id: 1, owner: 'acme', repo: 'shop', private: false, defaultBranch: 'main' };
    const job = { turn: { reading: { repo, subject: { kind: 'issue', number: 7 } } }, installationId: 3 };
    const { id, name, payload } = wakeDelivery({ ...request, job: job as never }, 5_000);

    const handled = await handleEvent({ delivery: id, name, payload }, host);

    expect(handled).toMatchObject([{ status: 'ignored', why: 'not-installed' }]);
    expect(await records.requests.open()).toEqual([]);
    expect(await records.requests.get('ap_1')).toMatchObject({ state: 'cancelled', answer: { value: 'uninstalled' } });
  });
});
