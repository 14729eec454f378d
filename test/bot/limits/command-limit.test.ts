import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { CommandLimit } from '../../../src/bot/limits/command-limit.ts';
import { openMemoryStore } from '../../../src/store/open-store.ts';
import type { Store } from '../../../src/store/open-store.ts';

let now = 0;
let store: Store;
const worker = () => new CommandLimit(store.records, () => new Date(now));

beforeEach(() => {
  now = 0;
  store = openMemoryStore(() => new Date(now));
});

afterEach(() => store.close());

const by = (person: number, repo = 1, id = 'd-0') => ({ repo: { id: repo }, actor: { id: person }, id });

describe('bot-security', () => {
  it('X12 commands are counted for each person and repository, by all workers together, and anew after some minutes', async () => {
    const [one, other] = [worker(), worker()];

    expect(await one.count(by(1))).toBe(1);
    expect(await other.count(by(1))).toBe(2);
    expect([await one.count(by(2)), await other.count(by(1, 2))]).toEqual([1, 1]);
    now = 10 * 60_000;
    expect(await other.count(by(1))).toBe(1);
  });

  it('X12 one command of a period says that there is a limit, also when it is read again after a crash', async () => {
    const [one, other] = [worker(), worker()];

    expect(await one.isTold(by(1, 1, 'd-1'))).toBe(false);
    expect(await other.isTold(by(1, 1, 'd-2'))).toBe(true);
    expect(await other.isTold(by(1, 1, 'd-1'))).toBe(false);
    expect(await other.isTold(by(2, 1, 'd-2'))).toBe(false);
    now = 10 * 60_000;
    expect(await one.isTold(by(1, 1, 'd-3'))).toBe(false);
  });
});
