import { sessionFacts } from '../bot/session/session-facts.ts';
import type { SessionFacts } from '../bot/session/session-facts.ts';
import { sessionOf } from '../bot/session/session-of.ts';
import type { Host } from '../handle-event.ts';
import type { RepositoryAccess } from '../bot/job/job.ts';
import type { SessionEvent, SessionId } from '../harness/session/types.ts';
import '../bot/session/session-events.ts';
import type { HumanRequest } from '../store/records.ts';
import { MAX_COMMANDS } from '../triggers/may-start.ts';
import type { Facts, OpenRequest } from '../triggers/intake.ts';
import { isPlugged } from '../triggers/plugged-command.ts';
import type { PermissionFact } from '../triggers/rights.ts';
import type { Reading, ReadSubject } from '../triggers/reading.ts';

/** Everything that deciding needs and a payload does not say: the one place that asks (T13). */
export async function lookUpFacts(reading: Reading, access: RepositoryAccess, host: Host): Promise<Facts> {
  if (reading.kind === 'ignore') return NOTHING;
  const { records, live } = host.services;
  const session = await sessionOf(reading, records.subjects);
  const log = needsLog(reading) ? await logFacts(session, host) : NO_LOG;
  const asker = reading.kind === 'check-failure' ? log.asker : undefined;
  const causeTaken = await isTaken(reading, session, access, host);
  const plugged = await pluggedNames(reading, host);
  return {
    session,
    permission: await permissionOf(reading, asker, access, host),
    causeTaken,
    ...(causeTaken ? NOT_COUNTED : await countCommand(reading, plugged, host)),
    running: live.of(session),
    open: (await openRequests(reading, session, host)).map(openRequest),
    lastJob: log.lastJob,
    machineTurns: reading.kind === 'check-failure' ? log.checkTurns : log.botTurns,
    plugged,
    asker,
  };
}

/**
 * Whether a reading that only sessions which run or wait have a use for meets none: then GitHub is not asked at all. What is
 * gone before it began anything never will: its cause is taken.
 */
export async function meetsNobody(reading: Reading, host: Host): Promise<boolean> {
  switch (reading.kind) {
    case 'remark':
      return !reading.mayBeMore && !(await openKinds(reading, host)).includes('question');
    case 'note':
      return !reading.mayBeMore && !(await isWorked(reading, host));
    case 'end': {
      const { repo, of, delivery } = reading;
      if (await isWorked(reading, host)) return false;
      if (of !== undefined) await host.services.records.causes.take(repo.id, of, delivery);
      return true;
    }
    default:
      return false;
  }
}

const NOT_COUNTED = { commands: 0, limitTold: false };
const NO_LOG: SessionFacts = { lastJob: undefined, botTurns: 0, checkTurns: 0, asker: undefined };
const NOTHING: Facts = {
  session: '' as SessionId,
  permission: 'none',
  causeTaken: false,
  ...NOT_COUNTED,
  running: undefined,
  open: [],
  lastJob: undefined,
  machineTurns: 0,
  plugged: [],
};

/** A log may be long, so it is read only for what nothing else tells. */
function needsLog(reading: ReadSubject): boolean {
  if (reading.kind === 'check-failure' || reading.actor.isBot) return true;
  return reading.kind === 'command' && ['say', 'retry'].includes(reading.command.name);
}

/** Only what goes over the limit may have to say so, and of that only what would have been answered. */
async function countCommand(reading: ReadSubject, plugged: readonly string[], { services: { limit } }: Host) {
  if (reading.kind !== 'command' && reading.kind !== 'misunderstood') return NOT_COUNTED;
  const { repo, actor, delivery, nth } = reading;
  const made = { repo, actor, id: `${delivery}-${nth}` };
  const commands = await limit.count(made);
  const isUnderstood = reading.kind === 'command' || isPlugged(reading, plugged);
  const mayTell = isUnderstood && !actor.isBot && commands > MAX_COMMANDS;
  return { commands, limitTold: mayTell && (await limit.isTold(made)) };
}

async function pluggedNames(reading: ReadSubject, { services }: Host): Promise<string[]> {
  if (reading.kind !== 'misunderstood' || reading.line === undefined) return [];
  return (await services.plugged()).map(({ name }) => name);
}

async function logFacts(session: SessionId, { services: { sessions } }: Host): Promise<SessionFacts> {
  return (await sessions.has(session)) ? sessionFacts((await sessions.inspect(session)).events) : NO_LOG;
}

/** Of nobody, where nobody's right counts: an automatic event, something that happened. */
async function permissionOf(
  reading: ReadSubject,
  asker: Facts['asker'],
  access: RepositoryAccess,
  host: Host,
): Promise<PermissionFact> {
  if (['pull-request', 'note', 'end'].includes(reading.kind) || reading.actor.isBot) return 'none';
  const login = reading.kind === 'check-failure' ? asker?.login : reading.actor.login;
  if (login === undefined) return 'none';
  const answer = await access.permissionOf(access.repo, login, host.signal);
  return answer.kind === 'known' ? answer.permission : answer.kind;
}

/** Another delivery took the cause before (T5). What starts nothing, and can be said again by an edit, takes none. */
async function isTaken(
  reading: ReadSubject,
  session: SessionId,
  access: RepositoryAccess,
  host: Host,
): Promise<boolean> {
  if (['boxes', 'remark', 'note', 'end'].includes(reading.kind)) return false;
  return host.causeTaken(session, reading, access);
}

/**
 * What waits in a session. A command that settled something and was lost before that was gone on with is read again: then it
 * means that very request, and none that was asked since.
 */
async function openRequests(reading: ReadSubject, session: SessionId, { services }: Host): Promise<HumanRequest[]> {
  const { records, sessions } = services;
  if (reading.kind === 'remark') {
    const settled = await records.requests.settledOf(session);
    const answered = settled.find(({ answer }) => answer?.url === reading.comment.url);
    if (answered) return [answered];
  }
  const isAnswer = reading.kind === 'command' && ANSWERS.includes(reading.command.name);
  if (isAnswer && reading.comment && (await sessions.has(session))) {
    const asked = (await sessions.inspect(session)).events.filter(({ type }) => type === 'human/asked');
    for (const { data } of asked as SessionEvent<'human/asked'>[]) {
      const request = await records.requests.get(data.request);
      if (request?.answer?.url === reading.comment.url) return [request];
    }
  }
  return records.requests.openOf(session);
}

const ANSWERS = ['approve', 'deny', 'answer', 'say'];

function openRequest({ id, kind, askedOf, askedAt, data, job }: HumanRequest): OpenRequest {
  const { reading } = (job ?? {}) as { reading?: { cause?: unknown } };
  const cause = typeof reading?.cause === 'string' ? reading.cause : undefined;
  return { id, kind, askedOf, askedAt, text: textOf(data), cause };
}

/** All text that the drawing of a question holds: what people could quote of it. */
function textOf(data: unknown): string {
  if (typeof data === 'string') return data;
  if (typeof data !== 'object' || data === null) return '';
  return Object.values(data).map(textOf).join('\n');
}

async function openKinds(reading: ReadSubject, host: Host): Promise<HumanRequest['kind'][]> {
  const { records } = host.services;
  const open = await openRequests(reading, await sessionOf(reading, records.subjects), host);
  return open.map(({ kind }) => kind);
}

/** Whether the session has a turn that runs, is to begin, or waits for a person. */
async function isWorked(reading: ReadSubject, host: Host): Promise<boolean> {
  const { live, records } = host.services;
  const session = await sessionOf(reading, records.subjects);
  return live.sessions.includes(session) || (await openKinds(reading, host)).length > 0;
}
