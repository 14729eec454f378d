import type { Reading } from './reading.ts';
import { ignore, isOurself } from './reading-parts.ts';
import type { TriggerConfig } from './trigger-config.ts';

interface Signed {
  readonly action: string;
  readonly state: string;
  readonly label?: { readonly name: string } | null;
  readonly assignee?: { readonly login: string } | undefined;
}
type Origin = Omit<Extract<Reading, { kind: 'labelled' }>, 'kind' | 'action' | 'label'>;

/** Reads a label or an assignment: it starts us where it is meant for us and the subject is open (T14), else it is a note. */
export function readSign({ action, state, label, assignee }: Signed, origin: Origin, config: TriggerConfig): Reading {
  if (action === 'assigned') {
    if (!isOurself(assignee?.login, config)) return ignore('event-not-used');
    return state === 'open' ? { kind: 'labelled', action, label: undefined, ...origin } : ignore('closed');
  }
  if (!label) return ignore('event-not-used');
  if (label.name.toLowerCase() !== config.triggers.label.toLowerCase())
    return { kind: 'note', what: 'label', text: label.name, mayBeMore: true, ...origin };
  return state === 'open' ? { kind: 'labelled', action: 'labeled', label: label.name, ...origin } : ignore('closed');
}
