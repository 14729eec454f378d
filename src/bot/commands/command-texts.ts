import type { Config } from '../../config/config.ts';
import { languageOf } from '../../publish/language.ts';
import type { Language } from '../../publish/language.ts';
import type { CommandName } from '../../triggers/command-table.ts';

/** What human commands are answered with, in one language. Names come in made inert, amounts and ids as they are shown. */
export interface CommandTexts {
  readonly helpLead: string;
  readonly summaries: Readonly<Record<CommandName, string>>;
  readonly noSession: string;
  readonly goalWaits: string;
  readonly notHere: (usage: string) => string;
  readonly cutShort: string;
  readonly stopped: string;
  readonly withdrawn: string;
  readonly unqueued: (count: number) => string;
  readonly nothingRuns: string;
  readonly turnRuns: string;
  readonly nothingToShorten: string;
  readonly nothingToUndo: string;
  readonly undone: (number: number, branch: string) => string;
  readonly closedOnly: (number: number, branch: string) => string;
  readonly branchUndone: (number: number, branch: string) => string;
  readonly shortened: (tokens: string) => string;
  readonly forgotten: string;
  readonly erased: string;
  readonly session: (id: string, turns: number) => string;
  readonly transcript: string;
  readonly signedPage: (url: string, until: string) => string;
  readonly page: (url: string) => string;
  readonly noPage: Readonly<Record<'no-address' | 'public', string>>;
  readonly noServer: (id: string) => string;
  readonly writeTitle: string;
  readonly longTitle: (max: number) => string;
  readonly titled: (title: string) => string;
  readonly modelIs: (model: string) => string;
  readonly writeModel: string;
  readonly noKey: (provider: string, known: string) => string;
  readonly modelSet: (model: string) => string;
  readonly budgetIs: (cost: string, steps: number, tokens: string, minutes: number, bound: string) => string;
  readonly writeBudget: string;
  readonly budgetBound: (bound: string) => string;
  readonly budgetSet: (cost: string) => string;
  readonly configLead: string;
  readonly running: (job: string, who: string, line: string) => string;
  readonly waiting: (kind: 'approval' | 'question', id: string, link: string | undefined) => string;
  readonly queued: (count: number) => string;
  readonly spent: (tokens: string, cost: string | undefined, model: string) => string;
  readonly today: (person: string, repository: string) => string;
}

const EN: CommandTexts = {
  helpLead: 'What you can write here:',
  summaries: {
    fix: 'change the code and open a pull request',
    review: 'review this pull request',
    ask: 'answer a question from the code, without changing it',
    plan: 'make a plan, and fix by it once you said yes',
    goal: 'work in rounds until an objective is reached',
    retry: 'go on from the changes that were kept',
    say: 'tell the running turn something',
    help: 'show this list',
    status: 'show what runs, waits and was spent',
    stop: 'stop the running turn, keeping its changes',
    approve: 'allow what is asked for',
    deny: 'refuse what is asked for',
    answer: 'answer a question',
    model: 'show or choose the model',
    budget: 'show or raise what one turn may cost',
    title: 'name the session',
    log: 'show the transcript',
    compact: 'shorten what the model remembers',
    forget: 'start afresh with the next command; `--delete` erases what was kept',
    undo: 'close my pull request and delete its branch',
    config: 'show the settings and where each comes from',
  },
  noSession: 'There is no session here yet. `/dsh help` shows how to start one.',
  goalWaits: 'This session waits for an answer. Answer it, or end it with `/dsh stop`; then its goal can be changed.',
  notHere: (usage) => `\`${usage}\` is not available here.`,
  cutShort: 'That took too long and was cut short. What it had done by then stays.',
  stopped: 'Stopped. What was changed is kept: `/dsh retry` goes on from it.',
  withdrawn: 'Stopped. Nothing waits for an answer any longer.',
  unqueued: (count) =>
    count === 1
      ? 'One command that waited for its turn will not begin.'
      : `${count} commands that waited for their turn will not begin.`,
  nothingRuns: 'Nothing runs here.',
  turnRuns: 'A turn runs here. Try again when it has ended, or `/dsh stop` it first.',
  nothingToShorten: 'There is nothing to shorten.',
  nothingToUndo: 'There is no open pull request of mine for this.',
  undone: (number, branch) => `Closed #${number} and deleted \`${branch}\`.`,
  closedOnly: (number, branch) =>
    `Closed #${number}. \`${branch}\` holds commits of other people, or is the base of theirs, so it stays.`,
  branchUndone: (number, branch) => `#${number} was closed already; deleted its branch \`${branch}\`.`,
  shortened: (tokens) => `Shortened: about ${tokens} tokens of what was said and read became a summary.`,
  forgotten: 'Forgotten. The next command starts afresh.',
  erased: 'Forgotten and erased. The next command starts afresh.',
  session: (id, turns) => `Session \`${id}\`, ${turns} turn${turns === 1 ? '' : 's'}.`,
  transcript: 'Transcript',
  signedPage: (url, until) =>
    `[The whole of it as a page](${url}), until ${until}. Whoever has this link can read it; \`/dsh log\` gives a new one.`,
  page: (url) => `[The whole of it as a page](${url}), for everybody who may read this repository.`,
  noPage: {
    'no-address':
      'There is no link to its page, since the App does not know its own address: whoever runs it sets `DSH_PUBLIC_URL`.',
    public:
      'There is no link to its page, since everybody could open it here: whoever runs the App lets people sign in with `GITHUB_CLIENT_ID` and `GITHUB_CLIENT_SECRET`.',
  },
  noServer: (id) =>
    `It has a page only where an App server runs; \`dsh sessions show ${id}\` shows it where it is stored.`,
  writeTitle: 'Write the title after `/dsh title`.',
  longTitle: (max) => `A title has at most ${max} characters.`,
  titled: (title) => `This session is now called ${title}.`,
  modelIs: (model) => `The model is ${model}.`,
  writeModel: 'It is written `/dsh model provider/model`.',
  noKey: (provider, known) => `There is no key for ${provider} here; there is one for: ${known || 'no provider'}.`,
  modelSet: (model) => `From the next turn on the model is ${model}.`,
  budgetIs: (cost, steps, tokens, minutes, bound) =>
    `One turn may cost ${cost} and take ${steps} steps, ${tokens} tokens and ${minutes} minutes. \`/dsh budget <US dollars>\` sets the cost, up to ${bound}.`,
  writeBudget: 'It is written `/dsh budget 2.50`, in US dollars.',
  budgetBound: (bound) => `Whoever runs this bot allows at most ${bound} a turn.`,
  budgetSet: (cost) => `From the next turn on, one turn may cost ${cost}.`,
  configLead: 'The settings here, and where each comes from:',
  running: (job, who, line) => `Running: \`${job}\`, asked by ${who}; now: ${line}`,
  waiting: (kind, id, link) => `Waiting for you: ${kind} \`${id}\`${link ? ` ([question](${link}))` : ''}`,
  queued: (count) => `Queued: ${count}`,
  spent: (tokens, cost, model) => `Spent in this session: ${tokens} tokens, ${cost ?? 'cost unknown'} (${model})`,
  today: (person, repository) => `Spent today (UTC): ${person} by you, ${repository} in this repository`,
};

const ZH: CommandTexts = {
  helpLead: '可以在这里写：',
  summaries: {
    fix: '修改代码并开一个拉取请求',
    review: '评审这个拉取请求',
    ask: '根据代码回答问题，不作改动',
    plan: '先做计划，你同意后照计划修改',
    goal: '分轮工作，直到达成目标',
    retry: '在保留的改动上继续',
    say: '对正在运行的回合说一句话',
    help: '显示这份列表',
    status: '显示正在运行、等待和已花费的',
    stop: '停止正在运行的回合，保留改动',
    approve: '允许所请求的操作',
    deny: '拒绝所请求的操作',
    answer: '回答问题',
    model: '显示或选择模型',
    budget: '显示或提高一个回合的费用上限',
    title: '给会话命名',
    log: '显示会话记录',
    compact: '压缩模型记住的内容',
    forget: '下一条命令重新开始；`--delete` 立即删除保留的内容',
    undo: '关闭我的拉取请求并删除其分支',
    config: '显示各项设置及其来源',
  },
  noSession: '这里还没有会话。`/dsh help` 说明如何开始。',
  goalWaits: '会话正在等待回答。请先回答，或用 `/dsh stop` 结束，然后再更改目标。',
  notHere: (usage) => `这里不能使用 \`${usage}\`。`,
  cutShort: '时间太长，已中断。此前完成的部分保留。',
  stopped: '已停止。改动已保留：`/dsh retry` 从那里继续。',
  withdrawn: '已停止。不再等待任何回答。',
  unqueued: (count) => `${count} 条排队的命令不会再开始。`,
  nothingRuns: '这里没有正在运行的回合。',
  turnRuns: '有一个回合正在运行。请等它结束，或先写 `/dsh stop`。',
  nothingToShorten: '没有可以压缩的内容。',
  nothingToUndo: '这里没有我开的、仍然打开的拉取请求。',
  undone: (number, branch) => `已关闭 #${number} 并删除 \`${branch}\`。`,
  closedOnly: (number, branch) => `已关闭 #${number}。\`${branch}\` 含有别人的提交，或是别人分支的基础，因此保留。`,
  branchUndone: (number, branch) => `#${number} 先前已关闭；已删除其分支 \`${branch}\`。`,
  shortened: (tokens) => `已压缩：约 ${tokens} 个词元的内容变成了摘要。`,
  forgotten: '已忘记。下一条命令重新开始。',
  erased: '已忘记并删除。下一条命令重新开始。',
  session: (id, turns) => `会话 \`${id}\`，${turns} 个回合。`,
  transcript: '会话记录',
  signedPage: (url, until) =>
    `[完整记录页面](${url})，有效期至 ${until}。拿到此链接的人都能阅读；\`/dsh log\` 会给出新的链接。`,
  page: (url) => `[完整记录页面](${url})，凡能读取此仓库的人都可以查看。`,
  noPage: {
    'no-address': '没有页面链接，因为应用不知道自己的地址：请运维者设置 `DSH_PUBLIC_URL`。',
    public:
      '没有页面链接，因为在这里任何人都能打开它：请运维者设置 `GITHUB_CLIENT_ID` 和 `GITHUB_CLIENT_SECRET`，让大家登录后查看。',
  },
  noServer: (id) => `只有运行应用服务器时才有页面；在存储它的机器上，\`dsh sessions show ${id}\` 可以显示它。`,
  writeTitle: '请在 `/dsh title` 后写标题。',
  longTitle: (max) => `标题最多 ${max} 个字符。`,
  titled: (title) => `这个会话现在叫 ${title}。`,
  modelIs: (model) => `模型是 ${model}。`,
  writeModel: '写法是 `/dsh model 提供方/模型`。',
  noKey: (provider, known) => `这里没有 ${provider} 的密钥；有密钥的是：${known || '没有'}。`,
  modelSet: (model) => `从下一个回合起，模型是 ${model}。`,
  budgetIs: (cost, steps, tokens, minutes, bound) =>
    `一个回合最多可花 ${cost}，${steps} 步，${tokens} 个词元，${minutes} 分钟。\`/dsh budget <美元>\` 设定费用，最高 ${bound}。`,
  writeBudget: '写法是 `/dsh budget 2.50`，单位为美元。',
  budgetBound: (bound) => `运行这个机器人的人最多允许每回合 ${bound}。`,
  budgetSet: (cost) => `从下一个回合起，一个回合最多可花 ${cost}。`,
  configLead: '这里的设置及其来源：',
  running: (job, who, line) => `正在运行：\`${job}\`，由 ${who} 发起；现在：${line}`,
  waiting: (kind, id, link) =>
    `等你回答：${kind === 'approval' ? '审批' : '问题'} \`${id}\`${link ? `（[查看](${link})）` : ''}`,
  queued: (count) => `排队中：${count}`,
  spent: (tokens, cost, model) => `这个会话已用：${tokens} 个词元，${cost ?? '费用未知'}（${model}）`,
  today: (person, repository) => `今天（UTC）：你花了 ${person}，这个仓库共 ${repository}`,
};

export const COMMAND_TEXTS: Readonly<Record<Language, CommandTexts>> = { en: EN, zh: ZH };

interface Said {
  readonly intake: { readonly reading: { readonly command: { readonly text: string } } };
  readonly place: { readonly config: Pick<Config, 'language'> };
}

/** In the configured language, else in that of the person's own words. */
export function textsFor({ intake, place }: Said): CommandTexts {
  return COMMAND_TEXTS[languageOf(place.config.language, intake.reading.command.text)];
}
