import type { ContinuationDecision } from '../../../harness/agent/types.ts';
import { hostNote } from '../../context/host-note.ts';
import type { NewFailure } from './verify.ts';

/** A failure that counts as the change's goes back to the model, with what was printed (F3). Pure. */
export function sendBack({ command, output, onBase }: NewFailure, hasMoved = false): ContinuationDecision {
  const moved = hasMoved ? MOVED : '';
  const text = `${moved}${FAILS[onBase](`\`${command}\``)} Mend that, then call \`submit_result\` again.\n\n${output}`;
  return { action: 'continue', reason: hostNote(text) };
}

const MOVED =
  'The branch moved on: the work tree now stands on its new head, with your change merged into it, so read the files again before you edit them. ';

const FAILS: Readonly<Record<NewFailure['onBase'], (command: string) => string>> = {
  passes: (command) => `The change makes ${command} fail; it passes without the change.`,
  'fails-differently': (command) =>
    `${command} fails, and with another output than without the change, so that a part of the failure can be the change's.`,
  unknown: (command) =>
    `The change makes ${command} fail; whether it passes without the change could not be found out.`,
};
