import { join } from 'node:path';

// Programs that tests start, and workers, are compiled once and not each time.
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, 'node_modules/.cache/compiled');

/** Real engine, real git, real HTTP: the slow suites share one Docker engine, so few workers are enough. */
export default {
  testMatch: ['<rootDir>/test/**/*.test.ts', '<rootDir>/examples/**/*.test.ts'],
  testEnvironment: 'node',
  // `dsh-github/…` means the sources here, as a plugin author's import means the package.
  moduleNameMapper: {
    '^dsh-github$': '<rootDir>/src/index.ts',
    '^dsh-github/skills$': '<rootDir>/src/seams/skills/index.ts',
    '^dsh-github/(.*)$': '<rootDir>/src/harness/$1/index.ts',
  },
  extensionsToTreatAsEsm: ['.ts'],
  transform: {
    '\\.ts$': ['@swc/jest', { jsc: { parser: { syntax: 'typescript' }, target: 'es2024' }, module: { type: 'es6' } }],
  },
  testTimeout: 30_000,
  maxWorkers: 2,
  // Modules of suites that have ended stay in memory. To fork a process that has grown takes ten times as long, and what
  // runs git or starts `dsh` forks all the time.
  workerIdleMemoryLimit: '100MB',
};
