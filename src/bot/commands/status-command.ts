import { inertInline } from '../../publish/markdown/inert-line.ts';
import { describeGoal } from '../../seams/goal/describe-goal.ts';
import { foldGoal } from '../../seams/goal/fold-goal.ts';
import type { SessionEvent } from '../../harness/session/types.ts';
import { makeInert } from '../../publish/markdown/inert.ts';
import type { HumanRequest } from '../../store/records.ts';
import { spentIn } from '../limits/spent.ts';
import { withSettings } from '../session/session-settings.ts';
import { textsFor } from './command-texts.ts';
import { goalTextsFor } from './goal-texts.ts';
import { success } from './human-command.ts';
import type { HumanCommand, HumanCommandHandler } from './human-command.ts';

/** What runs, waits, is queued and was spent here. */
export const statusCommand: HumanCommandHandler = async (command) => {
  const { services, intake } = command;
  const { session } = intake;
  const events = (await services.sessions.has(session)) ? (await services.sessions.inspect(session)).events : [];
  const lines = [
    runningLine(command),
    ...(await waitingLines(command)),
    ...(await queueLines(command)),
    await spentLine(command, events),
    ...(await dayLines(command)),
  ];
  return success([...lines.map((line) => `- ${line}`), ...goalLines(events, command)].join('\n'));
};

function runningLine(command: HumanCommand): string {
  const { live, redact } = command.services;
  const running = live.of(command.intake.session);
  const texts = textsFor(command);
  if (!running) return texts.nothingRuns;
  const { job, startedBy, line } = running;
  return texts.running(job, inertInline(startedBy.login), inertInline(redact(line)));
}

async function waitingLines(command: HumanCommand): Promise<string[]> {
  const { intake, services } = command;
  const open = await services.records.requests.openOf(intake.session);
  return open.map((request) => textsFor(command).waiting(request.kind, request.id, linkOf(request, intake.reading)));
}

function linkOf({ commentId }: HumanRequest, { comment }: HumanCommand['intake']['reading']): string | undefined {
  const page = comment?.url.replace(/#.*$/, '');
  return commentId === undefined || !page ? undefined : `${page}#issuecomment-${commentId}`;
}

/** What came after this command is not here yet, and it itself is no work. */
async function queueLines(command: HumanCommand): Promise<string[]> {
  const { reading } = command.intake;
  const { records } = command.services;
  const pending = await records.inbox.pending(`${reading.repo.id}-${reading.subject.number}`);
  const others = pending.filter(({ id, attempts }) => id !== reading.delivery && attempts === 0);
  return others.length === 0 ? [] : [textsFor(command).queued(others.length)];
}

async function spentLine(command: HumanCommand, events: readonly SessionEvent[]): Promise<string> {
  const { intake, place, services } = command;
  const settings = await services.records.settings.get(intake.session);
  const model = services.modelOf(withSettings(place.config, settings, Infinity));
  const { tokens, cost } = spentIn(events, model);
  const money = cost === undefined ? undefined : `$${cost.toFixed(4)}`;
  return textsFor(command).spent(tokens.toLocaleString('en-US'), money, inertInline(model));
}

async function dayLines(command: HumanCommand): Promise<string[]> {
  const { reading } = command.intake;
  const { records, now } = command.services;
  const at = now().getTime();
  const [person, repository] = await Promise.all([
    records.spending.spent(`person:${reading.actor.id}`, at),
    records.spending.spent(`repository:${reading.repo.id}`, at),
  ]);
  return repository === 0 ? [] : [textsFor(command).today(`$${person.toFixed(4)}`, `$${repository.toFixed(4)}`)];
}

function goalLines(events: readonly SessionEvent[], { intake, place }: HumanCommand): string[] {
  const { goal, roundsStarted } = foldGoal(events);
  const texts = goalTextsFor(place.config.language)(intake.reading.command.text);
  return goal ? ['', makeInert(describeGoal({ ...goal, roundsStarted, activation: 'armed' }, texts))] : [];
}
