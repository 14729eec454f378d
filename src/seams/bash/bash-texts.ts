import { isWiderNetwork } from '../sandbox/approve-network.ts';
import type { SandboxNetwork } from '../sandbox/types.ts';

/** What the description tells of this deployment; all of it is fixed for a session. */
export interface BashToolFacts {
  treeIsReadOnly: boolean;
  network: SandboxNetwork;
  networkBound: SandboxNetwork;
  timeoutMs: number;
  maxTimeoutMs: number;
  maxOutputBytes: number;
  background: boolean;
}

export function bashDescription(facts: BashToolFacts): string {
  return [
    'Runs one command with `bash -c`: builds, tests, programs, history. Read files with read, search text with grep, find files with glob.',
    '- Every call is a fresh shell at the work tree: a relative path always means the same, and cd or variables do not carry over. Use workdir instead of cd.',
    '- stdin is closed; no editor, pager or prompt can be answered.',
    `- ${NETWORK[facts.network]}${isWiderNetwork(facts.networkBound, facts.network) ? ON_REQUEST : ''}`,
    '- git only reads (status, diff, log, show, blame); the host commits, pushes and publishes.',
    ...(facts.treeIsReadOnly ? ['- The work tree cannot be written: copy what you need to run below /tmp.'] : []),
    `- Stopped after ${facts.timeoutMs} ms, or timeoutMs (at most ${facts.maxTimeoutMs}); the output so far is returned.`,
    ...(facts.background ? ['- run_in_background starts it as a task and returns at once.'] : []),
    `- Output above ${Math.floor(facts.maxOutputBytes / 1024)} KiB comes as head and tail with the path of the full text, for read and grep.`,
    '- A command that fails ends with [exit code: N] or [killed by signal: NAME].',
  ].join('\n');
}

const NETWORK: Record<SandboxNetwork, string> = {
  none: 'There is no network: what setup installed is all there is.',
  'allow-list': 'The network reaches the package registries only; beyond that, what setup installed is all there is.',
  full: 'The network reaches public hosts.',
};

const ON_REQUEST = ' `network` opens more for one call, if a person agrees.';

export const BASH_GUIDANCE =
  'After every bash call look at the last line of the result: only a result without an exit, signal or timeout marker is a success, whatever the output says.';
