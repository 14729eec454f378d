import type { ContentBlock } from '../../harness/llm/types.ts';
import type { SessionEvent } from '../../harness/session/types.ts';
import { hostNote } from './host-note.ts';

/** What became of the work tree of a turn that was cut off. */
export type TreeFate = 'as-it-stood' | 'from-snapshot' | 'afresh';

/** Tells the model that its turn was cut off, and what of it is certain. Pure. */
export function resumeContent(events: readonly SessionEvent[], turn: number, tree: TreeFate): ContentBlock[] {
  const unknown = unknownCalls(events, turn);
  const text = [
    'The process that ran your last turn was lost in the middle of it. This turn goes on from there.',
    TREES[tree],
    ...(unknown.length > 0
      ? [`Whether these calls did anything is not known: ${unknown.join(', ')}. Look before you repeat one.`]
      : []),
    'Earlier reads of files do not count any more. If the work is done, hand in its result again.',
  ].join('\n');
  return hostNote(text).content;
}

const TREES: Record<TreeFate, string> = {
  'as-it-stood': 'The work tree is as it stood at that moment.',
  'from-snapshot': 'The work tree was rebuilt from a copy made during that turn: the last changes may be missing.',
  afresh: 'The work tree was made afresh: none of your changes are in it.',
};

function unknownCalls(events: readonly SessionEvent[], turn: number): string[] {
  const names = new Map<string, string>();
  const unknown: string[] = [];
  for (const event of events) {
    if (event.type === 'tool/call' && event.data.turn === turn) names.set(event.data.callId, event.data.name);
    if (event.type !== 'tool/result' || event.data.turn !== turn) continue;
    if (event.data.error?.code === 'TOOL_OUTCOME_UNKNOWN')
      unknown.push(`\`${names.get(event.data.callId) ?? 'a tool'}\``);
  }
  return unknown;
}
