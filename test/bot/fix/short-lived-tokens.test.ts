import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { TokenProvider } from '../../../src/github/token-provider.ts';
import { calls } from '../../support/scripted-model.ts';
import { JobBench, NAME } from '../support/job-bench.ts';

const RESULT = { outcome: 'fixed', title: 'Mend', summary: 'Done.', cause: '', verification: [], notes: [] };
/** What one git process asks for at most. */
const REQUESTS = 3;

describe('bot-fix', () => {
  let bench: JobBench;
  beforeAll(async () => {
    bench = await JobBench.start({ 'a.txt': 'a\n', 'b.bin': 'b\n' });
  });
  afterAll(() => bench.close());

  /** Tokens that the server takes three times each, although they say nothing of it; the first one `first` times. */
  function shortLived(first: number): { auth: TokenProvider; minted: () => number } {
    const known = bench.github.state.tokens;
    const get = known.get.bind(known);
    const left = new Map<string, number>();
    known.get = (token) => {
      const uses = left.get(token);
      if (uses === undefined) return get(token);
      left.set(token, uses - 1);
      return uses > 0 ? get(token) : undefined;
    };
    const mint = (uses: number) => {
      const token = bench.github.createToken({ installation: 'acme' });
      left.set(token, uses);
      return token;
    };
    let current = mint(first);
    let minted = 0;
    return {
      auth: async ({ fresh = false } = {}) => {
        if (fresh) {
          minted += 1;
          current = mint(REQUESTS);
        }
        return current;
      },
      minted: () => minted,
    };
  }

  it.each([0, 1, 2])(
    'C2 J1 U7 tokens that die early, at any request or write of a fix (%i): nothing is lost or done twice',
    async (first) => {
      const { number } = await bench.github.openIssue(NAME, { by: 'tom', title: `Mend it ${first}` });
      const { auth, minted } = shortLived(first);
      const seen = bench.github.requests.length;
      const change = () => (bench.change('a.txt', `${first}\n`), bench.change('b.bin', `\0${first}`));

      const { outcome } = await bench.run({
        ...{ job: 'fix', subject: { kind: 'issue', number }, auth },
        script: [{ ...calls('submit_result', RESULT), before: change }],
      });

      expect(outcome).toMatchObject({ status: 'completed', produced: { kind: 'pull-request' } });
      expect(minted()).toBeGreaterThan(3);
      const requests = bench.github.requests.slice(seen);
      const done = requests.filter(({ method, status }) => method !== 'GET' && status < 300);
      const made = (path: RegExp) => done.filter((request) => path.test(request.path)).length;
      expect([made(/\/git\/commits$/), made(/\/git\/refs$/), made(/\/pulls$/)]).toEqual([1, 1, 1]);
      expect(requests.some(({ method, status }) => method === 'POST' && status === 401)).toBe(true);
    },
  );
});
