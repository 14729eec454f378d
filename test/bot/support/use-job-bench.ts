import { afterAll, beforeAll } from '@jest/globals';
import { JobBench } from './job-bench.ts';

/** A bench for all tests of a suite: made before them and closed after them. Only tests and hooks may touch it. */
export function useJobBench(files?: Record<string, string>): JobBench {
  let bench: JobBench | undefined;
  beforeAll(async () => {
    bench = await JobBench.start(files);
  });
  afterAll(() => bench?.close());
  return new Proxy({} as JobBench, {
    get: (_, name) => {
      const value: unknown = Reflect.get(bench!, name, bench);
      return typeof value === 'function' ? value.bind(bench) : value;
    },
  });
}
