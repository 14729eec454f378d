import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { openCheckout } from '../../src/github/git/checkout.ts';
import { readRepository } from '../../src/github/repository.ts';
import type { TokenProvider } from '../../src/github/token-provider.ts';
import { DemoGitHub, REPO } from './support/demo-github.ts';

let demo: DemoGitHub;
beforeEach(async () => {
  demo = await DemoGitHub.start({ private: true });
});
afterEach(() => demo.close());

/** A token that is good for this many of git's requests, and then one that lives; all that was asked for is counted. */
function dying(requests: number): { tokens: TokenProvider; minted: () => number } {
  const [first, second] = [demo.token(), demo.token()];
  const known = demo.server.state.tokens;
  const get = known.get.bind(known);
  let left = requests;
  known.get = (token) => (token === first && (left -= 1) < 0 ? undefined : get(token));
  let current = first;
  let minted = 0;
  const tokens: TokenProvider = async ({ fresh = false } = {}) => {
    if (fresh) {
      minted += 1;
      current = second;
    }
    return current;
  };
  return { tokens, minted: () => minted };
}

async function open(tokens: TokenProvider, fullBelowMb = 500) {
  const repository = await readRepository(demo.connect(), REPO);
  const settings = { dataDir: demo.dataDir, tokens, fullBelowMb };
  return openCheckout({ repository, target: { kind: 'branch' }, session: 's1', settings });
}

describe('bot-fix', () => {
  it.each([
    ['before the first request of a fetch', 0, 500],
    ['in the middle of a fetch', 1, 500],
    ['before the blobs of a partial mirror are fetched', 3, 0],
  ])('C2 J1 a token that dies %s is renewed once, and git goes on', async (_, requests, fullBelowMb) => {
    const { tokens, minted } = dying(requests);

    const { workTree } = await open(tokens, fullBelowMb);

    expect(readFileSync(join(workTree, 'README.md'), 'utf8')).toBe('shop\n');
    expect(minted()).toBe(1);
  });

  it('C2 J1 a token that stays refused, renewed or not, is no storm but an answer without the token', async () => {
    let asked = 0;
    const tokens: TokenProvider = async () => ((asked += 1), `ghs_dead${asked}`);
    const seen = demo.record();

    await expect(open(tokens)).rejects.toMatchObject({
      code: 'REPOSITORY_UNAVAILABLE',
      message: expect.not.stringContaining('ghs_dead'),
    });
    expect(seen().filter((line) => line.includes('info/refs')).length).toBeLessThanOrEqual(4);
  });

  it('J1 a fixed token that died is not tried again', async () => {
    const seen = demo.record();

    await expect(open(async () => 'ghs_dead')).rejects.toMatchObject({ code: 'REPOSITORY_UNAVAILABLE' });
    expect(seen().filter((line) => line.includes('info/refs')).length).toBeLessThanOrEqual(2);
  });
});
