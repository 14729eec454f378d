import { decideBoxes, decideRemark } from './decide-answer.ts';
import { decideCommand } from './decide-command.ts';
import { decideMisunderstood } from './decide-misunderstood.ts';
import type { DecideConfig, Facts, Intake } from './intake.ts';
import { claimOf, ignore, isOverdone } from './may-start.ts';
import { noteText } from './note-text.ts';
import type { Reading } from './reading.ts';
import { atLeast, mayCommand } from './rights.ts';

/** Turns what was read and looked up into what is done. Pure (T13). */
export function decide(reading: Reading, facts: Facts, config: DecideConfig): Intake {
  switch (reading.kind) {
    case 'ignore':
      return reading;
    case 'misunderstood':
      return decideMisunderstood(reading, facts, config);
    case 'pull-request':
      return decideReview(reading, facts);
    case 'labelled':
      return decideLabelled(reading, facts, config);
    case 'check-failure':
      return decideCheck(reading, facts, config);
    case 'command':
      return decideCommand(reading, facts, config);
    case 'custom':
      return decideCustom(reading, facts, config);
    case 'boxes':
      return decideBoxes(reading, facts);
    case 'remark':
      return decideRemark(reading, facts, config);
    case 'note':
      return decideNote(reading, facts);
    case 'end':
      return decideEnd(reading, facts);
  }
}

function decideReview(reading: Extract<Reading, { kind: 'pull-request' }>, facts: Facts): Intake {
  if (facts.causeTaken) return ignore('cause-taken');
  const { permission } = facts;
  return { kind: 'turn', job: 'review', request: 'Review this pull request.', permission, reading };
}

/** Judged on who put the label there, whoever wrote the issue (T14); who may only sort issues is not scolded for it. */
function decideLabelled(reading: Extract<Reading, { kind: 'labelled' }>, facts: Facts, config: DecideConfig): Intake {
  const job = reading.subject.kind === 'pull' ? 'review' : 'fix';
  if (facts.causeTaken) return ignore('cause-taken');
  if (isOverdone(reading, facts, config)) return ignore('too-many-bot-turns');
  if (!mayCommand({ name: job, text: '' }, claimOf(reading, facts), config)) return ignore('no-permission');
  const request = job === 'fix' ? 'Fix this issue.' : 'Review this pull request.';
  return { kind: 'turn', job, request, permission: facts.permission, reading };
}

/** On the authority of whoever asked for the fix, and no more often in a row than `checks.rounds` (F4). */
function decideCheck(reading: Extract<Reading, { kind: 'check-failure' }>, facts: Facts, config: DecideConfig): Intake {
  const { asker, permission, machineTurns } = facts;
  if (facts.causeTaken) return ignore('cause-taken');
  if (!asker) return ignore('check-not-ours');
  if (machineTurns >= config.checks.rounds) return ignore('too-many-bot-turns');
  if (!atLeast(permission, config.permissions.run)) return ignore('no-permission');
  const request = 'A check failed on the branch of this pull request, which you made. Find out why, and mend it.';
  return {
    kind: 'turn',
    job: 'fix',
    request,
    permission,
    reading: { ...reading, actor: { ...asker, association: 'NONE' } },
  };
}

/** Nobody wrote to us, so nobody is told that nothing was started. */
function decideCustom(reading: Extract<Reading, { kind: 'custom' }>, facts: Facts, config: DecideConfig): Intake {
  const { job, request } = reading;
  if (facts.causeTaken) return ignore('cause-taken');
  if (!mayCommand({ name: job, text: request }, claimOf(reading, facts), config)) return ignore('no-permission');
  return { kind: 'turn', job, request, permission: facts.permission, reading };
}

/** The next prompt is made fresh, so only a turn that runs or waits has to be told. */
function decideNote(reading: Extract<Reading, { kind: 'note' }>, { running, open, session }: Facts): Intake {
  if (!running && open.length === 0) return ignore('nothing-to-tell');
  return { kind: 'note', session, text: noteText(reading), reading };
}

function decideEnd(reading: Extract<Reading, { kind: 'end' }>, { session }: Facts): Intake {
  return { kind: 'end', session, why: reading.why, reading };
}
