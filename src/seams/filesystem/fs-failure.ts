import { escalationHintMarker, sandboxDenialMarker } from '../sandbox/escalation.ts';
import type { SandboxMode } from '../sandbox/types.ts';
import { FsError } from './fs-error.ts';
import type { EditMismatch } from './edit-mismatch.ts';
import { printablePath } from './printable-path.ts';

export type FsOperation = 'read' | 'write' | 'edit';

/** What the tool has found out about a failed operation, so that the text can name the next step. */
export interface FsFailureFacts {
  operation: FsOperation;
  path: string;
  nearest?: readonly string[];
  mismatch?: EditMismatch;
  /** 1-based lines where an ambiguous text begins, and how often it occurs. */
  places?: { lines: readonly number[]; count: number };
  mode?: SandboxMode;
  escalation?: boolean;
}

/** The same failure with a text for the model: one line of what happened and what to do, then at most 20 of help. */
export function fsFailure(error: FsError, facts: FsFailureFacts): FsError {
  const { text, help = [] } = wording(error, { ...facts, path: printablePath(facts.path) });
  return new FsError([text, ...help].join('\n'), error.code, { cause: error });
}

interface Wording {
  text: string;
  help?: readonly string[];
}

function wording(error: FsError, facts: FsFailureFacts): Wording {
  const { operation, path } = facts;
  switch (error.code) {
    case 'FS_NOT_FOUND':
      return notFound(facts);
    case 'FS_NOT_DIRECTORY':
      return { text: `${path} is not a directory — name the directory it stands in` };
    case 'FS_NOT_TEXT':
      return { text: `${path} is not text in an encoding that can hold this — leave it to the program that owns it` };
    case 'FS_NOT_REGULAR_FILE':
      return { text: `${path} is a directory or a special file — list it with glob and name one file` };
    case 'FS_PERMISSION_DENIED':
      return {
        text: `no right to ${operation} ${path}; this is policy, and repeating or another way will not help — use the files of the work tree`,
      };
    case 'FS_SANDBOX_DENIED':
      return denied(facts);
    case 'FS_STALE_VERSION':
      return { text: `${path} has changed since you read it — read it again, then repeat the ${operation}` };
    case 'FS_NOT_OBSERVED':
      return {
        text: `${path} exists and you have not read it (after a resume earlier reads do not count) — read it, then repeat the ${operation}`,
      };
    case 'FS_AMBIGUOUS_EDIT':
      return ambiguous(facts);
    case 'FS_EDIT_NOT_FOUND':
      return mismatched(facts);
    case 'FS_ABORTED':
      return { text: `the ${operation} of ${path} was aborted; nothing was changed` };
    case 'FS_IO_ERROR':
      return { text: `could not ${operation} ${path}: ${error.message} — look at the file before you try again` };
  }
}

function notFound({ path, nearest = [] }: FsFailureFacts): Wording {
  if (nearest.length === 0) return { text: `${path} does not exist — find the file with glob` };
  return { text: `${path} does not exist — did you mean one of these?`, help: nearest.map(printablePath) };
}

function denied({ operation, path, mode, escalation }: FsFailureFacts): Wording {
  const possible = mode === 'workspace-write' ? 'write inside the work tree' : 'report what you would change';
  return {
    text: `the ${operation} of ${path} is not allowed; this is policy, and repeating or another way will not help — ${possible}`,
    help: [...(mode ? [sandboxDenialMarker(mode)] : []), ...(escalation ? [escalationHintMarker('operation')] : [])],
  };
}

function ambiguous({ path, places }: FsFailureFacts): Wording {
  const where = places
    ? ` ${places.count} times in ${path}, at lines ${places.lines.join(', ')}`
    : ` more than once in ${path}`;
  const more = places && places.count > places.lines.length ? ' and further ones' : '';
  return { text: `old_string occurs${where}${more} — add lines around the one you mean, or set replace_all` };
}

function mismatched({ path, mismatch }: FsFailureFacts): Wording {
  const cause = mismatch?.cause ? `: ${mismatch.cause}` : '';
  const region = mismatch?.region ?? [];
  if (region.length === 0)
    return { text: `old_string was not found in ${path}${cause} — read the file and copy the text exactly` };
  return {
    text: `old_string was not found in ${path}${cause} — copy the text exactly; the most similar lines are below`,
    help: region,
  };
}
