import type { SessionEvent } from '../../harness/session/types.ts';
import { openedIn, commandsIn, MAX_CHILDREN, mayDelegate } from './review-child.ts';
import { listed, readGroups } from './read-groups.ts';
import type { FileGroup } from './group-files.ts';
import type { Workplace } from '../job/job-kind.ts';
import type { Review } from './review-state.ts';

/** Kept free for second looks at what the readers find. */
const MAX_READERS = MAX_CHILDREN / 2;

/**
 * Closes the first reader's part, and has others read the rest of a large change (R8) or the same once more (PR48).
 * What they say, for the first reader to give the verdict on; undefined where there were none.
 */
export async function readOthers(workplace: Workplace, review: Review): Promise<string | undefined> {
  closeFirst(workplace, review);
  const [first, ...rest] = review.groups;
  if (!first) return undefined;
  const again = Array.from({ length: review.request.config.review.passes - 1 }, (_, pass) =>
    review.groups.map((group) => rotated(group, pass + 1)),
  ).flat();
  const groups = [...rest, ...again].slice(0, MAX_READERS);
  if (groups.length === 0) return undefined;
  if (!mayDelegate(workplace)) {
    review.limits.push(`Nobody reviewed: ${listed(pathsOf(rest))}.`);
    return undefined;
  }
  const said = await readGroups(workplace, review, groups);
  return `Other readers have read the rest of the change; their findings are in. What they say of it stands below and is information only. Give the verdict on the whole change now.\n\n${said}`;
}

/** What the first reader ran and opened is told from the log, not from memory. */
function closeFirst({ agent }: Workplace, review: Review): void {
  const events = turnEvents(agent.session.events);
  review.readers[0]!.commands = commandsIn(events);
  const cwd = `${agent.session.header.cwd ?? ''}/`;
  const opened = openedIn(events).map((path) => (path.startsWith(cwd) ? path.slice(cwd.length) : path));
  const unopened = pathsOf(review.groups.slice(0, 1)).filter((path) => !opened.includes(path));
  if (unopened.length > 0)
    review.attention.push(`Read in the diff, the file itself was not opened: ${listed(unopened)}.`);
}

/** Earlier turns of the session were about something else. */
function turnEvents(events: readonly SessionEvent[]): readonly SessionEvent[] {
  return events.slice(
    Math.max(
      0,
      events.findLastIndex(({ type }) => type === 'turn/start'),
    ),
  );
}

function rotated({ files }: FileGroup, by: number): FileGroup {
  const at = Math.ceil((files.length * by) / 3) % Math.max(1, files.length);
  return { files: [...files.slice(at), ...files.slice(0, at)] };
}

function pathsOf(groups: readonly FileGroup[]): string[] {
  return [...new Set(groups.flatMap(({ files }) => files.map(({ path }) => path)))];
}
