import { languageOf } from '../../publish/language.ts';
import type { Language } from '../../publish/language.ts';
import { GOAL_TEXTS } from '../../seams/goal/goal-texts.ts';
import type { GoalTexts } from '../../seams/goal/goal-texts.ts';

const USAGE = '还没有目标。请写 `goal` 和一个目标来设定。';

const ZH: GoalTexts = {
  usage: USAGE,
  set: '目标已设定。',
  changed: '目标已更改。',
  cleared: '目标已清除。',
  nothingToClear: '原本就没有目标。',
  paused: '目标已暂停。',
  goesOn: '目标继续进行。',
  writeObjective: '请在 `edit` 后写新的目标。',
  phases: { active: '进行中', paused: '已暂停', blocked: '受阻', complete: '已完成' },
  waits: '进行中，等待 `resume`',
  heading: (state, round, max) => `目标（${state}，第 ${round} 轮，共 ${max} 轮）：`,
  blocked: ({ code, message }) => `受阻（${code}）：${message}`,
  rejections: {
    GOAL_ALREADY_EXISTS: '已有一个未完成的目标。请先清除或更改它。',
    GOAL_INVALID_OBJECTIVE: '目标需要内容。',
    GOAL_STALE_REVISION: '目标刚刚被更改。请看一下再试。',
    GOAL_NOT_FOUND: USAGE,
  },
  rejected: '目标现在不能这样做。',
};

export const GOAL_TEXTS_OF: Readonly<Record<Language, GoalTexts>> = { en: GOAL_TEXTS, zh: ZH };

/** In the configured language, else in that of the person's own words. */
export function goalTextsFor(configured: Language | undefined): (words: string) => GoalTexts {
  return (words) => GOAL_TEXTS_OF[languageOf(configured, words)];
}
