import type { Benchmark } from './benchmark.ts';
import { gap } from './gap.ts';
import { sandboxCommand } from './sandbox-command.ts';
import { sandboxReady } from './sandbox-ready.ts';
import { derive } from './derive.ts';
import { sessionLog } from './session-log.ts';
import { stream } from './stream.ts';
import { bundle } from './bundle.ts';
import { checkout } from './checkout.ts';
import { publish } from './publish.ts';
import { diff } from './diff.ts';
import { coldStart } from './cold-start.ts';
import { memory } from './memory.ts';
import { intake } from './intake.ts';
import { firstSign } from './first-sign.ts';
import { throughput } from './throughput.ts';
import { prefixStability } from './prefix-stability.ts';

export const BENCHMARKS: readonly Benchmark[] = [
  gap,
  coldStart,
  memory,
  sandboxCommand,
  sandboxReady,
  intake,
  sessionLog,
  derive,
  stream,
  firstSign,
  checkout,
  publish,
  diff,
  throughput,
  bundle,
  prefixStability,
];
