import { describe, expect, it } from '@jest/globals';
import type { RepositoryAccess } from '../../src/bot/job/job.ts';
import { DEFAULT_CONFIG } from '../../src/config/default-config.ts';
import type { Host } from '../../src/handle-event.ts';
import { lookUpFacts, meetsNobody } from '../../src/intake/look-up-facts.ts';
import { openMemoryStore } from '../../src/store/open-store.ts';
import { decide } from '../../src/triggers/decide.ts';
import { questionRequest } from '../bot/people/request-fixture.ts';
import { comment, person } from '../triggers/support/payloads.ts';
import { SessionId } from '../../src/harness/session/types.ts';

const SESSION = SessionId('gh-9-3-1');
const URL = 'https://example.com/c';
const access = {
  permissionOf: async () => ({ kind: 'known', permission: 'write' }),
} as unknown as RepositoryAccess;

/** A host whose store has the question that a lost process had settled by this very comment. */
async function hostAfterLoss(url = URL): Promise<Host> {
  const { records, sessions } = openMemoryStore(() => new Date());
  const asked = { session: SESSION, repo: 9, askedOf: person };
  await records.requests.add(questionRequest(undefined, asked));
  const value = { answers: [{ id: 'colour', selected: ['Blue'] }] };
  await records.requests.settle('q_1', 'answered', { actor: person, how: 'reply', value, url, at: 5 });
  const live = { of: () => undefined, sessions: [] };
  const limit = { count: async () => 1, isTold: async () => false };
  const services = { records, sessions, live, limit, plugged: async () => [] };
  return { services, causeTaken: async () => false } as unknown as Host;
}

describe('bot-human-loop', () => {
  it('K3 Q1 a reply whose process was lost after it had settled the question is read again for that very question', async () => {
    const host = await hostAfterLoss();
    const [reading] = comment('Blue');

    expect(await meetsNobody(reading!, host)).toBe(false);
    const intake = decide(reading!, await lookUpFacts(reading!, access, host), DEFAULT_CONFIG);

    expect(intake).toMatchObject({ kind: 'answer', request: 'q_1', how: 'reply' });
  });

  it('Q1 another remark after the question is just a remark', async () => {
    const host = await hostAfterLoss('https://example.com/other');
    const [reading] = comment('Blue');
    expect(await meetsNobody(reading!, host)).toBe(true);
    expect(decide(reading!, await lookUpFacts(reading!, access, host), DEFAULT_CONFIG).kind).toBe('ignore');
  });
});
