import type { Config } from '../config/config.ts';
import { COMMANDS } from './command-table.ts';
import type { CommandName } from './command-table.ts';
import { parseCommands } from './parse-commands.ts';
import { PAYLOADS } from './payload.ts';
import type { Payload, PayloadName } from './payload.ts';
import { readDispatch } from './read-dispatch.ts';
import type { Actor, CommentRef, GitHubEvent, IgnoreReason, Reading, EventRepository, SubjectRef } from './reading.ts';

/** Who we are on GitHub; without an app (a token in a terminal or an Action) only the markers tell our own words. */
export interface OwnIdentity {
  readonly appId?: number;
  readonly appSlug?: string;
  readonly botLogin?: string;
}
export type TriggerConfig = Pick<Config, 'aliases' | 'allowBots' | 'review'> & { readonly self: OwnIdentity };

/** Reads one event: what it says, in order. Pure, and never throws on a payload (T11–T13). */
export function readTrigger(event: GitHubEvent, config: TriggerConfig): Reading[] {
  if (event.name === 'dsh_dispatch') return readDispatch(event);
  if (!isUsed(event.name)) return [ignore('event-not-used')];
  const parsed = PAYLOADS[event.name].safeParse(event.payload);
  if (!parsed.success) return [ignore('malformed-payload')];
  return READERS[event.name](parsed.data as never, event.delivery, config);
}

const READERS: { [N in PayloadName]: (payload: Payload<N>, delivery: string, config: TriggerConfig) => Reading[] } = {
  issue_comment: (p, delivery, config) => {
    const subject: SubjectRef = { kind: p.issue.pull_request ? 'pull' : 'issue', number: p.issue.number };
    const comment: CommentRef = { url: p.comment.html_url, place: { kind: 'issue-comment', id: p.comment.id } };
    return readText(p, { delivery, subject, comment, cause: `comment-${p.comment.id}`, said: p.comment }, config);
  },
  issues: (p, delivery, config) => {
    if (p.action !== 'opened') return [ignore('event-not-used')];
    const subject: SubjectRef = { kind: 'issue', number: p.issue.number };
    const comment: CommentRef = { url: p.issue.html_url, place: { kind: 'issue' } };
    return readText({ ...p, action: 'created' }, { delivery, subject, comment, cause: `issue-${p.issue.id}`, said: p.issue }, config);
  },
  pull_request_review: (p, delivery, config) => {
    const subject: SubjectRef = { kind: 'pull', number: p.pull_request.number };
    const comment: CommentRef = { url: p.review.html_url, place: { kind: 'review', id: p.review.id } };
    const action = p.action === 'submitted' ? 'created' : p.action;
    return readText({ ...p, action }, { delivery, subject, comment, cause: `review-${p.review.id}`, said: p.review }, config);
  },
  pull_request_review_comment: (p, delivery, config) => {
    const subject: SubjectRef = { kind: 'pull', number: p.pull_request.number };
    const thread = {
      path: p.comment.path,
      side: p.comment.side === 'LEFT' ? ('LEFT' as const) : ('RIGHT' as const),
      startLine: p.comment.start_line ?? undefined,
      line: p.comment.line ?? undefined,
      hunk: p.comment.diff_hunk,
      rootId: p.comment.in_reply_to_id ?? p.comment.id,
    };
    const comment: CommentRef = { url: p.comment.html_url, place: { kind: 'review-comment', id: p.comment.id, thread } };
    return readText(p, { delivery, subject, comment, cause: `review-comment-${p.comment.id}`, said: p.comment }, config);
  },
  pull_request: readPullRequest,
};

interface Said {
  readonly body?: string | null;
  readonly user: { readonly id: number; readonly login: string };
  readonly author_association: string;
  readonly performed_via_github_app?: { readonly id: number } | null;
}
interface TextPayload {
  readonly action: string;
  readonly sender: Payload<'issues'>['sender'];
  readonly repository: Payload<'issues'>['repository'];
  readonly changes?: { readonly body?: { readonly from?: string | null } };
}
interface TextOrigin {
  readonly delivery: string;
  readonly subject: SubjectRef;
  readonly comment: CommentRef;
  readonly cause: string;
  readonly said: Said;
}

function readText(payload: TextPayload, origin: TextOrigin, config: TriggerConfig): Reading[] {
  const silent = silence(payload, origin, config);
  if (silent) return [ignore(silent)];
  const { delivery, subject, comment, cause, said } = origin;
  const actor = toActor(payload.sender, said.author_association);
  const byAuthor = payload.sender.id === said.user.id;
  const common = { repo: toRepo(payload.repository), subject, actor, cause, delivery, comment };
  const commands = parseCommands(said.body, { aliases: config.aliases, appSlug: config.self.appSlug });
  if (commands.length === 0) return [ignore('no-command')];
  const starting = commands.find((command) => command.kind === 'command' && COMMANDS[command.name].makesTurn);
  return commands.map((command, nth): Reading => {
    if (command.kind === 'misunderstood') return { kind: 'misunderstood', reply: command.reply, nth, ...common };
    const isSkipped = COMMANDS[command.name].makesTurn && command !== starting;
    if (isSkipped) return { kind: 'misunderstood', reply: skippedText(command.name), nth, ...common };
    return { kind: 'command', command, byAuthor, nth, ...common };
  });
}

function skippedText(name: CommandName): string {
  return `\`/dsh ${name}\` was skipped: a comment starts at most one turn, and an earlier line of it does.`;
}

/** Why an event with text is not ours to act on (T5, T7), or undefined. */
function silence(payload: TextPayload, origin: TextOrigin, config: TriggerConfig): IgnoreReason | undefined {
  const { self } = config;
  if (payload.action !== 'created' && payload.action !== 'edited') return 'event-not-used';
  const byMachine = machineAuthor(payload.sender, config);
  if (byMachine) return byMachine;
  if (self.appId !== undefined && origin.said.performed_via_github_app?.id === self.appId) return 'own-author';
  if (origin.said.body?.includes('<!-- dsh:')) return 'marker';
  if (!ADDRESSED.test(origin.said.body ?? '')) return 'nothing-addressed';
  const earlier = payload.changes?.body?.from;
  const addresses = { aliases: config.aliases, appSlug: self.appSlug };
  if (payload.action === 'edited' && (earlier == null || parseCommands(earlier, addresses).length > 0)) return 'edited-command';
  return undefined;
}

/** A line that begins with a slash or a mention, in a list or not: whatever the aliases are, only such a line can be one. */
const ADDRESSED = /^[^\p{L}\p{N}/@]*(?:\d+[.)])?[^\p{L}\p{N}/@]*[/@]/mu;

function machineAuthor(sender: { login: string; type: string }, { self, allowBots }: TriggerConfig): IgnoreReason | undefined {
  const login = sender.login.toLowerCase();
  if (self.botLogin && login === self.botLogin.toLowerCase()) return 'own-author';
  const allowed = allowBots.some((bot) => bot.toLowerCase() === login);
  return sender.type === 'Bot' && !allowed ? 'bot-author' : undefined;
}

function readPullRequest(p: Payload<'pull_request'>, delivery: string, config: TriggerConfig): Reading[] {
  const requested = p.action === 'review_requested' && isOurself(p.requested_reviewer?.login, config);
  if (!requested && !AUTOMATIC_ACTIONS.includes(p.action)) return [ignore('event-not-used')];
  const byMachine = machineAuthor(p.sender, config);
  if (byMachine) return [ignore(byMachine)];
  if (!requested && config.review.auto === 'off') return [ignore('automatic-review-off')];
  if (p.action === 'synchronize' && config.review.auto !== 'every-push') return [ignore('automatic-review-off')];
  if (!requested && p.pull_request.draft && !config.review.drafts) return [ignore('draft')];
  return [
    {
      kind: 'pull-request',
      action: p.action,
      repo: toRepo(p.repository),
      subject: { kind: 'pull', number: p.pull_request.number },
      actor: toActor(p.sender, p.pull_request.author_association),
      author: toActor(p.pull_request.user, p.pull_request.author_association),
      headSha: p.pull_request.head.sha,
      baseSha: p.pull_request.base.sha,
      fromFork: p.pull_request.head.repo?.id !== p.repository.id,
      cause: requested ? `event-${delivery}` : `head-${p.pull_request.head.sha}`,
      delivery,
    },
  ];
}

const AUTOMATIC_ACTIONS = ['opened', 'reopened', 'ready_for_review', 'synchronize'];

function isOurself(login: string | undefined, { self }: TriggerConfig): boolean {
  return Boolean(login && self.botLogin && login.toLowerCase() === self.botLogin.toLowerCase());
}

function isUsed(name: string): name is PayloadName {
  return Object.hasOwn(PAYLOADS, name);
}

function ignore(why: IgnoreReason): Reading {
  return { kind: 'ignore', why };
}

function toRepo(repository: Payload<'issues'>['repository']): EventRepository {
  return {
    id: repository.id,
    owner: repository.owner.login,
    repo: repository.name,
    private: repository.private,
    defaultBranch: repository.default_branch,
  };
}

function toActor(user: { id: number; login: string }, association: string): Actor {
  return { id: user.id, login: user.login, association };
}
