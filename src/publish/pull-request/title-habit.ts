/** `type(scope)!: subject`, the form of Conventional Commits 1.0.0. */
const CONVENTIONAL = /^[a-z]+(\([^)]*\))?!?: \S/;

/** Signs that turn the direction of what is written: left open, they turn what stands after the title. */
const TURNING = /[\u202a-\u202e\u2066-\u2069]/g;

/** Gives a title the habit of the repository's last commits (U4): conventional where most of them are. Pure. */
export function titleByHabit(title: string, recentSubjects: readonly string[]): string {
  const oneLine = title.replaceAll(TURNING, '').replaceAll(/\s+/g, ' ').trim() || 'Change requested in the issue';
  const conventional = recentSubjects.filter((subject) => CONVENTIONAL.test(subject)).length;
  const habit = recentSubjects.length > 0 && conventional * 2 > recentSubjects.length;
  if (!habit || CONVENTIONAL.test(oneLine)) return oneLine;
  return `fix: ${oneLine[0]?.toLowerCase() ?? ''}${oneLine.slice(1)}`;
}
