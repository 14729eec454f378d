import { PERMISSIONS } from '../config/config.ts';
import type { Config, Permission } from '../config/config.ts';
import { COMMANDS } from './command-table.ts';
import type { CommandName } from './command-table.ts';
import type { IgnoreReason, JobKind, Reading } from './reading.ts';

export type { JobKind } from './reading.ts';

/** What the permission look-up said; `could-not-check` is a fault of GitHub's, and fails closed. */
export type PermissionFact = Permission | 'none' | 'could-not-check';

/** What was looked up between reading and deciding. */
export interface Facts {
  readonly permission: PermissionFact;
  /** A turn with this cause stands in the session's log already (T5). */
  readonly causeTaken: boolean;
}

export type RefuseReason = 'no-permission' | 'could-not-check' | 'not-a-pull-request';
export type TurnReading = Extract<Reading, { kind: 'command' | 'pull-request' | 'custom' }>;

export type Intake =
  | { readonly kind: 'ignore'; readonly why: IgnoreReason }
  | { readonly kind: 'refuse'; readonly why: RefuseReason; readonly reading: TurnReading }
  | {
      readonly kind: 'reply';
      readonly text: string;
      readonly reading: Extract<Reading, { kind: 'command' | 'misunderstood' }>;
    }
  | {
      readonly kind: 'turn';
      readonly job: JobKind;
      readonly request: string;
      readonly permission: PermissionFact;
      readonly reading: TurnReading;
    };

/** Turns what was read and looked up into what is done. Pure (T13). */
export function decide(reading: Reading, facts: Facts, config: Pick<Config, 'permissions'>): Intake {
  switch (reading.kind) {
    case 'ignore':
      return reading;
    case 'misunderstood':
      return mayAsk(facts.permission, config) ? { kind: 'reply', text: reading.reply, reading } : silent();
    case 'pull-request':
      if (facts.causeTaken) return { kind: 'ignore', why: 'cause-taken' };
      return {
        kind: 'turn',
        job: 'review',
        request: 'Review this pull request.',
        permission: facts.permission,
        reading,
      };
    case 'command':
      return decideCommand(reading, facts, config);
    case 'custom':
      return decideCustom(reading, facts, config);
  }
}

type CommandReading = Extract<Reading, { kind: 'command' }>;

function decideCommand(reading: CommandReading, facts: Facts, config: Pick<Config, 'permissions'>): Intake {
  if (facts.causeTaken) return { kind: 'ignore', why: 'cause-taken' };
  const { name } = reading.command;
  if (facts.permission === 'could-not-check') return { kind: 'refuse', why: 'could-not-check', reading };
  if (!mayUse(name, facts.permission, config)) return { kind: 'refuse', why: 'no-permission', reading };
  if (name === 'help') return { kind: 'reply', text: helpText(), reading };
  if (name === 'review' && reading.subject.kind === 'issue')
    return { kind: 'refuse', why: 'not-a-pull-request', reading };
  return { kind: 'turn', job: name, request: requestText(reading), permission: facts.permission, reading };
}

/** Nobody wrote to us, so nobody is told that nothing was started. */
function decideCustom(
  reading: Extract<Reading, { kind: 'custom' }>,
  facts: Facts,
  config: Pick<Config, 'permissions'>,
): Intake {
  const { job, request } = reading;
  if (facts.causeTaken) return { kind: 'ignore', why: 'cause-taken' };
  if (!mayUse(job, facts.permission, config)) return { kind: 'ignore', why: 'no-permission' };
  return { kind: 'turn', job, request, permission: facts.permission, reading };
}

function mayUse(name: CommandName, permission: PermissionFact, config: Pick<Config, 'permissions'>): boolean {
  return name === 'ask' || name === 'help' ? mayAsk(permission, config) : atLeast(permission, config.permissions.run);
}

function mayAsk(permission: PermissionFact, { permissions }: Pick<Config, 'permissions'>): boolean {
  return permissions.ask === 'anyone' || atLeast(permission, permissions.ask);
}

function atLeast(permission: PermissionFact, needed: Permission): boolean {
  return (PERMISSIONS as readonly string[]).indexOf(permission) >= PERMISSIONS.indexOf(needed);
}

/** The words of the person, or what the bare command means. Words that somebody else wrote into the comment do not instruct. */
function requestText({ command, subject, byAuthor }: CommandReading): string {
  if (command.text && byAuthor) return command.text;
  const thing = subject.kind === 'pull' ? 'pull request' : 'issue';
  if (command.name === 'fix') return `Fix this ${thing}.`;
  return command.name === 'review' ? 'Review this pull request.' : `Explain this ${thing}.`;
}

function helpText(): string {
  const rows = Object.values(COMMANDS).map((spec) => `- \`${spec.usage}\`: ${spec.summary}`);
  return ['What you can write here:', '', ...rows].join('\n');
}

function silent(): Intake {
  return { kind: 'ignore', why: 'no-command' };
}
