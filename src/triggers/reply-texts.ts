import { languageOf } from '../publish/language.ts';
import type { Language } from '../publish/language.ts';
import type { RefuseReason } from './intake.ts';

/** The short replies to what cannot be done, in one language. */
export interface ReplyTexts {
  readonly unknownCommand: (written: string, near: string | undefined) => string;
  readonly unknownFlag: (name: string, flag: string, hint: { near: string | undefined; usage: string }) => string;
  readonly skipped: (name: string) => string;
  readonly isWritten: (usage: string) => string;
  readonly nothingWaits: string;
  readonly whichOne: (usage: string, ids: readonly string[]) => string;
  readonly refusals: Readonly<Record<RefuseReason, string>>;
}

const EN: ReplyTexts = {
  unknownCommand: (written, near) =>
    `There is no command \`${written}\`. ${near ? `Did you mean \`/dsh ${near}\`?` : 'Write `/dsh help` for the list.'}`,
  unknownFlag: (name, flag, { near, usage }) =>
    `\`/dsh ${name}\` has no flag \`--${flag}\`. ${near ? `Did you mean \`--${near}\`?` : `It is written \`${usage}\`.`}`,
  skipped: (name) => `\`/dsh ${name}\` was skipped: a comment starts at most one turn, and an earlier line of it does.`,
  isWritten: (usage) => `It is written \`${usage}\`.`,
  nothingWaits: 'Nothing waits for an answer here.',
  whichOne: (usage, ids) => `Which one? Write \`${usage}\` with one of: ${ids.map((id) => `\`${id}\``).join(', ')}.`,
  refusals: {
    'no-permission': 'That command needs write permission on this repository, so nothing was started.',
    'could-not-check': 'GitHub did not say what you may do here, so nothing was started. Please try again in a minute.',
    'not-a-pull-request': 'There is nothing to review on an issue. Write `/dsh review` on a pull request.',
    'too-many-commands': 'That was a lot at once, so further commands of yours are not answered for some minutes.',
  },
};

const ZH: ReplyTexts = {
  unknownCommand: (written, near) =>
    `没有命令 \`${written}\`。${near ? `是不是 \`/dsh ${near}\`？` : '写 `/dsh help` 可看全部命令。'}`,
  unknownFlag: (name, flag, { near, usage }) =>
    `\`/dsh ${name}\` 没有选项 \`--${flag}\`。${near ? `是不是 \`--${near}\`？` : `写法是 \`${usage}\`。`}`,
  skipped: (name) => `已跳过 \`/dsh ${name}\`：一条评论最多开始一个回合，前面一行已经开始了。`,
  isWritten: (usage) => `写法是 \`${usage}\`。`,
  nothingWaits: '这里没有等待回答的请求。',
  whichOne: (usage, ids) => `是哪一个？请写 \`${usage}\`，并带上其中之一：${ids.map((id) => `\`${id}\``).join('、')}。`,
  refusals: {
    'no-permission': '这条命令需要本仓库的写权限，因此什么也没有开始。',
    'could-not-check': 'GitHub 没有说明你在这里的权限，因此什么也没有开始。请过一分钟再试。',
    'not-a-pull-request': '议题上没有可评审的内容。请在拉取请求上写 `/dsh review`。',
    'too-many-commands': '一下子太多了，接下来几分钟不再回答你的命令。',
  },
};

export const REPLY_TEXTS: Readonly<Record<Language, ReplyTexts>> = { en: EN, zh: ZH };

/** In the configured language, else in that of the person's own words. Pure. */
export function replyTextsFor(configured: Language | undefined, words: string): ReplyTexts {
  return REPLY_TEXTS[languageOf(configured, words)];
}
