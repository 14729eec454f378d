import { goalWord } from '../seams/goal/goal-word.ts';
import type { JobKind, Reading } from './reading.ts';

/** The words of the person, or what the bare command means. Words that somebody else wrote into the comment do not instruct. */
export function requestText(
  { command, subject, byAuthor }: Extract<Reading, { kind: 'command' }>,
  job: JobKind,
): string {
  const thing = subject.kind === 'pull' ? 'pull request' : 'issue';
  if (command.name === 'retry') return RETRIES[job] ?? `Go on with this ${thing} from the changes that were kept.`;
  if (command.name === 'goal') return goalRequest(command.text, thing, byAuthor);
  if (command.text && byAuthor) return command.text;
  return BARE[job](thing);
}

const RETRIES: Partial<Record<JobKind, string>> = { review: 'Review this pull request.', ask: 'Answer once more.' };

const BARE: Readonly<Record<JobKind, (thing: string) => string>> = {
  fix: (thing) => `Fix this ${thing}.`,
  review: () => 'Review this pull request.',
  ask: (thing) => `Explain this ${thing}.`,
  plan: (thing) => `Plan how to fix this ${thing}.`,
  goal: (thing) => `Bring this ${thing} to its end.`,
};

/** An empty text goes on with the goal there is. */
function goalRequest(text: string, thing: string, byAuthor: boolean): string {
  const word = goalWord(text);
  if (word.kind !== 'create') return 'Go on with the goal.';
  return byAuthor ? word.objective : BARE.goal(thing);
}
