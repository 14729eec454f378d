import type { AskUserQuestionItem } from '../../seams/user-interaction/types.ts';
import type { Language } from '../language.ts';
import type { Settled } from './request-view.ts';

type State = Settled['state'];

/** What the comments of requests say, in one language. Names and dates come in made inert. */
export interface RequestTexts {
  readonly waits: Readonly<Record<'approval' | 'question', string>>;
  readonly ended: Readonly<Record<State, string>>;
  readonly settledBy: Readonly<Record<State, (who: string, how: string, when: string) => string>>;
  readonly hows: Readonly<Record<Settled['how'], string>>;
  readonly openUntil: (askedOf: string, until: string) => string;
  readonly wantsToRun: (tool: string) => string;
  readonly wantsToPublish: string;
  readonly command: string;
  readonly arguments: string;
  readonly diff: string;
  readonly detail: string;
  readonly why: string;
  readonly reason: string;
  readonly touches: (head: string) => string;
  readonly more: (count: number) => string;
  readonly approveBox: string;
  readonly denyBox: string;
  readonly submitBox: string;
  readonly approvalWays: (id: string) => string;
  readonly answerWays: (id: string, question: AskUserQuestionItem) => string;
  readonly answersWays: (id: string) => string;
  /** Short replies to answers that decide nothing. */
  readonly decidedBefore: (id: string, state: string, who: string, when: string) => string;
  readonly unknown: (id: string) => string;
  readonly notYours: string;
  readonly notAllowed: string;
  readonly couldNotCheck: string;
  readonly notAnApproval: (id: string) => string;
  readonly notAQuestion: (id: string) => string;
  readonly doesNotFit: (why: string, ways: string) => string;
  readonly withdrawn: Readonly<Record<WithdrawnWhy, string>>;
}

/** Why a request is asked no more. */
export type WithdrawnWhy =
  'replaced' | 'stopped' | 'closed' | 'comment-deleted' | 'uninstalled' | 'plan-changed' | 'lost';

const EN: RequestTexts = {
  waits: { approval: 'Waiting for an approval', question: 'Waiting for an answer' },
  ended: {
    allowed: 'Approved',
    rejected: 'Denied',
    answered: 'Answered',
    cancelled: 'Withdrawn',
    unavailable: 'Nobody answered',
  },
  settledBy: {
    allowed: (who, how, when) => `Approved by ${who} ${how}, ${when}. It covers this one action and no other.`,
    rejected: (who, how, when) => `Denied by ${who} ${how}, ${when}.`,
    answered: (who, how, when) => `Answered by ${who} ${how}, ${when}.`,
    cancelled: (_who, _how, when) => `Withdrawn, ${when}.`,
    unavailable: (_who, _how, when) => `Nobody answered in time; it was refused, ${when}.`,
  },
  hows: {
    box: 'by ticking the box',
    reaction: 'by a reaction',
    command: 'by command',
    reply: 'by reply',
    terminal: 'in a terminal',
    timeout: 'by time',
    withdrawn: '',
  },
  openUntil: (askedOf, until) => `Asked of ${askedOf}; open until ${until}`,
  wantsToRun: (tool) => `The bot wants to use ${tool} like this:`,
  wantsToPublish: 'The bot wants to publish this:',
  command: 'The command',
  arguments: 'All arguments',
  diff: 'The change',
  detail: 'More about this question',
  why: 'Why',
  reason: 'Reason',
  touches: (head) => `What it touches, on top of ${head}:`,
  more: (count) => `and ${count} more`,
  approveBox: 'Approve: once, and exactly this',
  denyBox: 'Deny: the bot goes on without it',
  submitBox: 'Submit what is ticked above',
  approvalWays: (id) =>
    `Tick a box, react to this comment with 👍 or 👎, or write \`/dsh approve ${id}\` or \`/dsh deny ${id} reason\`. People who may approve decide; the first answer counts.`,
  answerWays: (id, { options = [], multiSelect }) => {
    const [one, many] = ['a number', 'numbers'];
    if (options.length === 0) return `Write \`/dsh answer ${id} your answer\`, or just reply.`;
    const form = multiSelect ? '1,2' : '1';
    const tick = multiSelect ? 'Tick boxes and then the last one' : 'Tick a box';
    return `${tick}, write \`/dsh answer ${id} ${form}\` with ${multiSelect ? many : one} or an answer of your own, or just reply.`;
  },
  answersWays: (id) =>
    `Tick boxes and then the last one, or write \`/dsh answer ${id} q1=2 q2="your answer"\`: a number, several as 1,3, a text in quotes, or \`skip\`.`,
  decidedBefore: (id, state, who, when) =>
    `\`${id}\` was ${state}${who ? ` by ${who}` : ''} before, ${when}; nothing changed.`,
  unknown: (id) => `Nothing with the id \`${id}\` was asked here.`,
  notYours: 'Whoever started the turn does not decide about it here: another person must (`approval.fourEyes`).',
  notAllowed: 'That needs the right to approve on this repository; nothing was decided.',
  couldNotCheck: 'GitHub did not say what you may do here, so nothing was decided. Please try again in a minute.',
  notAnApproval: (id) => `\`${id}\` is a question: write \`/dsh answer ${id} …\`.`,
  notAQuestion: (id) => `\`${id}\` is an approval: write \`/dsh approve ${id}\` or \`/dsh deny ${id} reason\`.`,
  doesNotFit: (why, ways) => `That is no answer: ${why}. ${ways}`,
  withdrawn: {
    replaced: 'another command came instead of an answer',
    stopped: 'the turn was stopped',
    closed: 'the issue or pull request was closed',
    'comment-deleted': 'the comment it belongs to was deleted',
    uninstalled: 'the app has no access any more',
    'plan-changed': 'what would be published is different now; it is asked anew',
    lost: 'the turn that asked ended without it',
  },
};

const ZH: RequestTexts = {
  waits: { approval: '等待批准', question: '等待回答' },
  ended: { allowed: '已批准', rejected: '已拒绝', answered: '已回答', cancelled: '已撤回', unavailable: '无人回答' },
  settledBy: {
    allowed: (who, how, when) => `${who} ${how}批准，${when}。仅对这一次操作有效。`,
    rejected: (who, how, when) => `${who} ${how}拒绝，${when}。`,
    answered: (who, how, when) => `${who} ${how}回答，${when}。`,
    cancelled: (_who, _how, when) => `已撤回，${when}。`,
    unavailable: (_who, _how, when) => `限期内无人回答，按拒绝处理，${when}。`,
  },
  hows: {
    box: '勾选方框',
    reaction: '用表情',
    command: '用命令',
    reply: '用回复',
    terminal: '在终端',
    timeout: '到期',
    withdrawn: '',
  },
  openUntil: (askedOf, until) => `询问对象：${askedOf}；有效期至 ${until}`,
  wantsToRun: (tool) => `机器人想这样使用 ${tool}：`,
  wantsToPublish: '机器人想发布以下内容：',
  command: '命令',
  arguments: '全部参数',
  diff: '改动',
  detail: '关于这个问题的更多内容',
  why: '原因',
  reason: '理由',
  touches: (head) => `在 ${head} 之上，它涉及：`,
  more: (count) => `还有 ${count} 项`,
  approveBox: '批准：仅此一次，仅此内容',
  denyBox: '拒绝：机器人不做这一步，继续工作',
  submitBox: '提交以上勾选',
  approvalWays: (id) =>
    `勾选一个方框，或对本评论回应 👍 或 👎，或写 \`/dsh approve ${id}\`，或 \`/dsh deny ${id} 理由\`。由有批准权限的人决定，先答者为准。`,
  answerWays: (id, { options = [], multiSelect }) => {
    if (options.length === 0) return `请写 \`/dsh answer ${id} 你的回答\`，或直接回复。`;
    const form = multiSelect ? '1,2' : '1';
    const tick = multiSelect ? '勾选若干方框，再勾选最后一个' : '勾选一个方框';
    return `${tick}，或写 \`/dsh answer ${id} ${form}\`（序号或你自己的回答），或直接回复。`;
  },
  answersWays: (id) =>
    `勾选若干方框，再勾选最后一个，或写 \`/dsh answer ${id} q1=2 q2="你的回答"\`：序号、多个序号如 1,3、引号中的文字，或 \`skip\`。`,
  decidedBefore: (id, state, who, when) => `\`${id}\` 先前${who ? `已由 ${who} ` : ''}${state}，${when}；没有改变。`,
  unknown: (id) => `这里没有编号为 \`${id}\` 的请求。`,
  notYours: '此处发起者不能自己决定，须由另一人决定（`approval.fourEyes`）。',
  notAllowed: '这需要本仓库的批准权限；没有作出决定。',
  couldNotCheck: 'GitHub 没有答复你的权限，因此没有作出决定。请稍后再试。',
  notAnApproval: (id) => `\`${id}\` 是一个问题：请写 \`/dsh answer ${id} …\`。`,
  notAQuestion: (id) => `\`${id}\` 是一项批准：请写 \`/dsh approve ${id}\` 或 \`/dsh deny ${id} 理由\`。`,
  doesNotFit: (why, ways) => `这不是有效的回答：${why}。${ways}`,
  withdrawn: {
    replaced: '来了另一个命令，而不是回答',
    stopped: '这一轮已被停止',
    closed: 'issue 或 pull request 已关闭',
    'comment-deleted': '所属评论已被删除',
    uninstalled: '应用已没有访问权限',
    'plan-changed': '要发布的内容已改变，将重新询问',
    lost: '提问的那一轮已结束',
  },
};

export const REQUEST_TEXTS: Readonly<Record<Language, RequestTexts>> = { en: EN, zh: ZH };
