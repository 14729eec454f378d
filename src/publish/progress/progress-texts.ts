import type { Language } from '../language.ts';

type State = 'working' | 'waiting' | 'done' | 'failed' | 'stopped';

/** What the progress comment says, in one language. What comes in is inert. */
export interface ProgressTexts {
  readonly headings: Readonly<Record<State, string>>;
  /** `link` is a Markdown link around our own word for it, where there is an address. */
  readonly headline: (state: string, what: string, by: string, url: string | undefined) => string;
  readonly seeRequest: (id: string) => string;
  readonly now: (call: string) => string;
  readonly inProgress: string;
  readonly goal: (state: string, round: number, max: number, objective: string) => string;
  readonly phases: Readonly<Record<'active' | 'paused' | 'blocked' | 'complete', string>>;
  readonly lastSteps: (shown: number, all: number) => string;
  readonly children: (count: number) => string;
  readonly child: (stopReason: string | undefined, steps: number) => string;
  readonly more: (count: number) => string;
  readonly steps: (count: number) => string;
  readonly tokens: (count: string) => string;
  readonly costUnknown: string;
  readonly transcript: string;
  readonly duration: (minutes: number, seconds: number) => string;
}

const EN: ProgressTexts = {
  headings: {
    working: 'Working on it',
    waiting: 'Waiting for you',
    done: 'Done',
    failed: 'That did not work',
    stopped: 'Stopped',
  },
  headline: (state, what, by, url) => `**${state}**: ${what} (${url ? `[asked](${url})` : 'asked'} by ${by})`,
  seeRequest: (id) => `The comment with \`${id}\` says what is asked.`,
  now: (call) => `Now: ${call}`,
  inProgress: ' (now)',
  goal: (state, round, max, objective) => `Goal (${state}, round ${round} of ${max}): ${objective}`,
  phases: { active: 'active', paused: 'paused', blocked: 'blocked', complete: 'complete' },
  lastSteps: (shown, all) => `The last ${shown} of ${all} steps`,
  children: (count) => `${count} child agent${count === 1 ? '' : 's'}`,
  child: (stopReason, steps) => (stopReason ? `${stopReason}, ${steps} step${steps === 1 ? '' : 's'}` : 'at work'),
  more: (count) => `and ${count} more`,
  steps: (count) => `${count} step${count === 1 ? '' : 's'}`,
  tokens: (count) => `${count} tokens`,
  costUnknown: 'cost unknown',
  transcript: 'transcript',
  duration: (minutes, seconds) => (minutes === 0 ? `${seconds} s` : `${minutes} min ${seconds} s`),
};

const ZH: ProgressTexts = {
  headings: { working: '正在处理', waiting: '等你决定', done: '完成', failed: '没有成功', stopped: '已停止' },
  headline: (state, what, by, url) => `**${state}**：${what}（${by} ${url ? `[提出](${url})` : '提出'}）`,
  seeRequest: (id) => `带有 \`${id}\` 的评论说明了要决定什么。`,
  now: (call) => `当前：${call}`,
  inProgress: '（进行中）',
  goal: (state, round, max, objective) => `目标（${state}，第 ${round} 轮，共 ${max} 轮）：${objective}`,
  phases: { active: '进行中', paused: '已暂停', blocked: '受阻', complete: '已完成' },
  lastSteps: (shown, all) => `共 ${all} 步，最近 ${shown} 步`,
  children: (count) => `${count} 个子代理`,
  child: (stopReason, steps) => (stopReason ? `${stopReason}，${steps} 步` : '进行中'),
  more: (count) => `还有 ${count} 项`,
  steps: (count) => `${count} 步`,
  tokens: (count) => `${count} 个 token`,
  costUnknown: '费用未知',
  transcript: '完整记录',
  duration: (minutes, seconds) => (minutes === 0 ? `${seconds} 秒` : `${minutes} 分 ${seconds} 秒`),
};

export const PROGRESS_TEXTS: Readonly<Record<Language, ProgressTexts>> = { en: EN, zh: ZH };
