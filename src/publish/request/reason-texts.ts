import type { Language } from '../language.ts';

/** What the bot itself says of why it asks, and of what that reaches, in one language. */
export interface ReasonTexts {
  readonly file: (path: string) => string;
  readonly mode: (mode: string) => string;
  readonly network: (network: string) => string;
  readonly workTree: string;
  readonly ruleAsks: string;
  readonly filesNeedIt: (asked: number, all: number) => string;
  readonly branchMoved: string;
}

const EN: ReasonTexts = {
  file: (path) => `file ${path}`,
  mode: (mode) => `sandbox mode ${mode}, for this call`,
  network: (network) => `network ${network}, for this call`,
  workTree: 'the work tree of this session',
  ruleAsks: 'a rule of this repository asks for it',
  filesNeedIt: (asked, all) =>
    asked === all && all > 1
      ? `all ${all} changed files need approval`
      : `${asked} of ${all} changed files need approval`,
  branchMoved: '; the branch moved since it was asked before',
};

const ZH: ReasonTexts = {
  file: (path) => `文件 ${path}`,
  mode: (mode) => `沙箱模式 ${mode}，仅限这一次调用`,
  network: (network) => `网络 ${network}，仅限这一次调用`,
  workTree: '这个会话的工作目录',
  ruleAsks: '本仓库的一条规则要求先询问',
  filesNeedIt: (asked, all) =>
    asked === all && all > 1 ? `全部 ${all} 个改动的文件都需要批准` : `${all} 个改动的文件中有 ${asked} 个需要批准`,
  branchMoved: '；上次询问之后分支有了新的提交',
};

export const REASON_TEXTS: Readonly<Record<Language, ReasonTexts>> = { en: EN, zh: ZH };
