import type { MemoryScript } from '../../support/memory-bash.ts';

const lines = Array.from({ length: 20_000 }, (_, index) => `${index + 1}\n`).join('');

/** Each command of the contract, as a real bash runs it and as a stand-in plays it. */
export const CONTRACT_COMMANDS = {
  fail: { bash: 'exit 3', plays: { exitCode: 3 } },
  bothStreams: { bash: 'echo out; echo err >&2', plays: { stdout: 'out\n', stderr: 'err\n' } },
  sleep: { bash: 'exec sleep 30', plays: { durationMs: 30_000 } },
  trapTerm: {
    bash: "trap 'exit 0' TERM; while :; do sleep 0.05; done",
    plays: { durationMs: 30_000, onTerm: 0 },
  },
  orphan: { bash: 'sleep 30 & echo done', plays: { stdout: 'done\n' } },
  count: { bash: 'seq 1 20000', plays: { stdout: lines } },
  countBoth: { bash: 'seq 1 20000; seq 1 20000 >&2', plays: { stdout: lines, stderr: lines } },
  thousand: { bash: "head -c 1000 /dev/zero | tr '\\0' x", plays: { stdout: 'x'.repeat(1_000) } },
  environment: {
    bash: 'echo "$FOO $DSH_X $NO_COLOR $TERM $PAGER $GIT_PAGER"',
    plays: ({ env, dshEnv }) => ({ stdout: `${env?.FOO} ${dshEnv?.DSH_X} 1 dumb cat cat\n` }),
  },
  stdinKind: {
    bash: 'if [ -c /proc/self/fd/0 ]; then echo device; else echo other; fi',
    plays: ({ stdin }) => ({ stdout: stdin === undefined ? 'device\n' : 'other\n' }),
  },
  echoStdin: { bash: 'cat', plays: ({ stdin = '' }) => ({ stdout: stdin }) },
  killSelf: { bash: 'kill -TERM $$; sleep 5', plays: { signal: 'SIGTERM' } },
} satisfies Record<string, { bash: string; plays: MemoryScript }>;

/** The table of a stand-in that knows the whole contract. */
export function contractScripts(): Record<string, MemoryScript> {
  return Object.fromEntries(Object.values(CONTRACT_COMMANDS).map(({ bash, plays }) => [bash, plays]));
}
