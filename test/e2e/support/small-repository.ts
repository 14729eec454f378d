import { calls } from '../../../src/demo/model/reply.ts';
import type { Reply } from '../../../src/demo/model/reply.ts';

/** One file with a slip, and a check that takes a blink; `sh check.sh` fails until the slip is mended. */
export const SMALL_FILES = {
  'greet.txt': 'helo world\n',
  'check.sh': 'grep -q hello greet.txt\n',
  '.github/dsh.yml': "verify:\n  commands: ['sh check.sh']\n  rounds: 1\n",
};
export const SMALL_ISSUE = { title: 'The greeting has a slip', body: 'It says helo.' };

export const run = (command: string): Reply => calls('bash', { command, description: 'Change a file' });
export const MEND = run("sed -i 's/helo/hello/' greet.txt");

export function submit(changed: Record<string, unknown> = {}): Reply {
  return calls('submit_result', {
    outcome: 'fixed',
    title: 'Greet with hello',
    summary: 'The greeting says hello.',
    cause: 'greet.txt:1 had a slip.',
    verification: [],
    notes: [],
    ...changed,
  });
}
