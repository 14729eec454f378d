import { describe, expect, it } from '@jest/globals';
import { checkoutFacts } from '../../../src/bot/context/checkout-facts.ts';
import type { Checkout } from '../../../src/github/git/checkout.ts';
import type { Submodule } from '../../../src/github/git/submodules.ts';

const mirror = (sizeMb: number) =>
  ({ repository: { sizeMb }, settings: { dataDir: '/data', fullBelowMb: 500 } }) as unknown as Checkout['mirror'];
const NO_LFS = { fetched: ['a.bin'], missing: [] };
const module = (path: string, state: Submodule['state']): Submodule => ({ path, sha: 'a'.repeat(40), state });
const textOf = (...args: Parameters<typeof checkoutFacts>) => JSON.stringify(checkoutFacts(...args));

describe('bot-fix', () => {
  it('C1 a repository that is mirrored without old contents says which commands fail', () => {
    expect(textOf({ mirror: mirror(900) }, [], NO_LFS)).toContain(
      '`git log -p` and `git show` of earlier commits fail',
    );
    expect(checkoutFacts({ mirror: mirror(1) }, [], NO_LFS)).toEqual([]);
  });

  it('C4 submodules and LFS files that are not there are named, with the reason', () => {
    const modules = [module('lib', 'fetched'), module('vendor/x', 'refused'), module('vendor/y', 'failed')];
    const text = textOf({ mirror: mirror(1) }, modules, { fetched: [], missing: ['big.bin'] });

    expect(text).toContain(
      'empty here: vendor/x (of another owner or server, or named by this head alone), vendor/y (it could not be read).',
    );
    expect(text).toContain('could not be fetched and are pointers here: big.bin.');
  });
});
