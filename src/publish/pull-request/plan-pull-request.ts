import type { SubjectRef } from '../../triggers/reading.ts';
import type { BodyPart } from '../markdown/body.ts';
import { assembleBody } from '../markdown/body.ts';
import { fillTemplate } from './fill-template.ts';
import { inertInline, inertPlain } from '../markdown/inert-line.ts';
import { sessionMarker, withoutMarks } from '../markers.ts';
import { ownPart, sealParts, titleMarker } from './own-parts.ts';
import { titleByHabit } from './title-habit.ts';

/** What a verification command did, on the change and, where that failed, on the base. */
export interface VerifyRun {
  readonly command: string;
  readonly exitCode: number | null;
  readonly timedOut: boolean;
  readonly failsOnBase?: boolean;
  /** With the same code and output there. */
  readonly sameOnBase?: boolean;
  /** With the change's tests, and without the rest of it. */
  readonly withoutChange?: 'fails' | 'passes';
  /** `lost`: it took the sandbox with it. `none`: no sandbox was left to run it in. */
  readonly sandbox?: 'lost' | 'none';
}

/** What the turn produced. `claimsFixed` is false for a turn that ended without an accepted `fixed`. */
export interface FixOutcome {
  readonly claimsFixed: boolean;
  readonly draft: boolean;
  readonly title: string;
  readonly summary: string;
  readonly cause: string;
  readonly notes: readonly string[];
  readonly verify: readonly VerifyRun[];
}

export interface PullRequestFacts {
  readonly subject: SubjectRef;
  readonly session: string;
  readonly asker: { readonly id: number; readonly login: string };
  /** Subjects of the base's last commits, newest first. */
  readonly recentSubjects: readonly string[];
  /** What existed of tests and their command, and was changed. */
  readonly changedTests: readonly string[];
  /** The repository's own pull-request template. */
  readonly template?: string | undefined;
}

export interface PullRequestPlan {
  readonly title: string;
  readonly body: string;
  readonly commitMessage: string;
  readonly draft: boolean;
}

/** Decides title, body and commit message of the pull request (U4, F2). Pure. */
export function planPullRequest(outcome: FixOutcome, facts: PullRequestFacts): PullRequestPlan {
  const title = clipTitle(inertPlain(titleByHabit(outcome.title, facts.recentSubjects)));
  const closes = outcome.claimsFixed && facts.subject.kind === 'issue' ? `Fixes #${facts.subject.number}` : undefined;
  const filled = fillTemplate(facts.template ?? '', {
    what: ownPart('what', [
      { kind: 'said', text: outcome.summary },
      ...(outcome.cause ? [{ kind: 'said', text: `**Cause.** ${outcome.cause}` } as const] : []),
    ]),
    verification: ownPart('verification', [
      { kind: 'markdown', text: verifyText(outcome.verify) },
      ...(facts.changedTests.length > 0
        ? [{ kind: 'markdown', text: changedTestsText(facts.changedTests) } as const]
        : []),
    ]),
    issue: ownPart('issue', [closes ? { kind: 'markdown', text: closes } : subjectLink(facts)]),
    rest: ownPart(
      'rest',
      outcome.notes.length > 0 ? [{ kind: 'said', text: outcome.notes.map((note) => `- ${note}`).join('\n') }] : [],
    ),
  });
  const markers = `${sessionMarker(facts.session)}\n${titleMarker(title)}`;
  const parts: BodyPart[] = [...filled, { kind: 'markdown', text: markers }];
  const body = sealParts(assembleBody(parts));
  return { title, body, commitMessage: commitMessage(title, closes, facts), draft: outcome.draft };
}

/** GitHub takes 256 characters. Pure. */
const MAX_TITLE_CHARS = 250;

export function clipTitle(title: string): string {
  if (title.length <= MAX_TITLE_CHARS) return title;
  return `${title.slice(0, MAX_TITLE_CHARS - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}

const SHOWN_TESTS = 20;

function changedTestsText(tests: readonly string[]): string {
  const more = tests.length > SHOWN_TESTS ? ` and ${tests.length - SHOWN_TESTS} more` : '';
  return `Tests that existed were changed: ${tests.slice(0, SHOWN_TESTS).map(inertInline).join(', ')}${more}.`;
}

/** One line per command; says so when nothing was found to run. */
export function verifyText(runs: readonly VerifyRun[]): string {
  if (runs.length === 0) return '**Not verified:** no test command was found in this repository.';
  return ['**Verification**', '', ...runs.map((run) => `- ${codeSpan(run.command)}: ${verdict(run)}`)].join('\n');
}

function codeSpan(command: string): string {
  return `\`${withoutMarks(command.replaceAll('`', "'").replaceAll(/\s+/g, ' ').trim())}\``;
}

function verdict(run: VerifyRun): string {
  if (hasPassed(run)) return PROOFS[run.withoutChange ?? 'unknown'];
  const how = howItFailed(run);
  if (run.failsOnBase === undefined) return how;
  if (!run.failsOnBase) return `${how}; it passes without this change`;
  return run.sameOnBase
    ? `${how}; it fails the same way without this change`
    : `${how}; it also fails without this change`;
}

const PROOFS = {
  unknown: 'passed',
  fails: 'passed; with the changed tests it fails without the change',
  passes: 'passed; the changed tests pass without the change, too',
} as const;

export function hasPassed({ exitCode, timedOut }: Pick<VerifyRun, 'exitCode' | 'timedOut'>): boolean {
  return exitCode === 0 && !timedOut;
}

function howItFailed({ timedOut, exitCode, sandbox }: VerifyRun): string {
  if (sandbox === 'lost') return 'took the sandbox down (out of memory, or every process killed), so it has no result';
  if (sandbox === 'none') return 'not run, because no sandbox was left to run it in';
  if (timedOut) return 'did not end in time';
  return exitCode === 127 ? 'could not be run here (command not found)' : `failed (exit code ${exitCode ?? 'none'})`;
}

function subjectLink({ subject }: PullRequestFacts): BodyPart {
  return { kind: 'markdown', text: `For #${subject.number}.` };
}

function commitMessage(title: string, closes: string | undefined, { asker, subject }: PullRequestFacts): string {
  const coAuthor = `Co-authored-by: ${asker.login} <${asker.id}+${asker.login}@users.noreply.github.com>`;
  return `${title}\n\n${closes ?? `For #${subject.number}`}\n\n${coAuthor}`;
}
