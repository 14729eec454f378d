import { GO_SEEDS } from './go-seeds.ts';
import { JAVA_SEEDS } from './java-seeds.ts';
import { PYTHON_SEEDS } from './python-seeds.ts';
import { RUST_SEEDS } from './rust-seeds.ts';
import type { Seed } from './seed.ts';
import { TYPESCRIPT_SEEDS } from './typescript-seeds.ts';

/** Changes with known defects, and with none, in five languages. */
export const SEEDS: readonly Seed[] = [...TYPESCRIPT_SEEDS, ...PYTHON_SEEDS, ...GO_SEEDS, ...JAVA_SEEDS, ...RUST_SEEDS];
