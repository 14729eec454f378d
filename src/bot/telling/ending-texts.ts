import type { Language } from '../../publish/language.ts';

/** What the result of a job says, in one language. Names, branches and addresses come in inert. */
export interface EndingTexts {
  readonly pull: (draft: boolean, link: string, title: string) => string;
  readonly committed: (link: string, branch: string) => string;
  readonly saved: (link: string, branch: string, why: string) => string;
  readonly localBranch: (branch: string, sha: string) => string;
  readonly patch: string;
  readonly suggestions: (count: number, url: string) => string;
  readonly review: (url: string, findings: number) => string;
  readonly mayNotReview: string;
  readonly planApproved: string;
  readonly planNotApproved: string;
  readonly nothing: string;
  readonly leftOut: string;
  readonly whatToDo: string;
  readonly kept: string;
  readonly keptPatch: string;
  readonly lost: (why: string) => string;
  readonly refusedHosts: (hosts: string) => string;
  readonly more: (count: number) => string;
}

const EN: EndingTexts = {
  pull: (draft, link, title) => `${draft ? 'Draft pull request' : 'Pull request'} ${link}: ${title}`,
  committed: (link, branch) => `Committed ${link} to \`${branch}\`.`,
  saved: (link, branch, why) => `Saved ${link} on \`${branch}\`. ${why}`,
  localBranch: (branch, sha) =>
    `The branch \`${branch}\` (${sha}) holds the change: \`git diff HEAD...${branch}\` shows it, \`git merge ${branch}\` takes it.`,
  patch: 'The change as a patch (this branch takes no push of ours)',
  suggestions: (count, url) =>
    `This branch takes no push of ours: the change is [${count} suggestion${count === 1 ? '' : 's'}](${url}) to commit.`,
  review: (url, findings) =>
    `[Review](${url}) with ${findings === 0 ? 'no findings' : `${findings} finding${findings === 1 ? '' : 's'}`}.`,
  mayNotReview: 'This token may not post a review; it stands here.',
  planApproved: 'The plan was approved: it is carried out next.',
  planNotApproved: 'To carry it out, write `/dsh fix`; to change it, write `/dsh plan` with what to change.',
  nothing: 'There is no change to publish.',
  leftOut: 'Changes that were left out, to be applied by a person',
  whatToDo: 'What to do',
  kept: 'The changes so far are kept: `/dsh retry` goes on from them.',
  keptPatch: 'The changes so far, as a patch',
  lost: (why) => `The changes so far could not be kept: ${why}`,
  refusedHosts: (hosts) => `The network refused: ${hosts}.`,
  more: (count) => `${count} more`,
};

const ZH: EndingTexts = {
  pull: (draft, link, title) => `${draft ? '草稿 pull request' : 'Pull request'} ${link}：${title}`,
  committed: (link, branch) => `已将 ${link} 提交到 \`${branch}\`。`,
  saved: (link, branch, why) => `已将 ${link} 保存在 \`${branch}\`。${why}`,
  localBranch: (branch, sha) =>
    `分支 \`${branch}\`（${sha}）包含改动：\`git diff HEAD...${branch}\` 查看，\`git merge ${branch}\` 合入。`,
  patch: '改动的补丁（我们不能推送到这个分支）',
  suggestions: (count, url) => `我们不能推送到这个分支：改动是 [${count} 条可提交的建议](${url})。`,
  review: (url, findings) => `[评审](${url})，${findings === 0 ? '没有发现问题' : `发现 ${findings} 个问题`}。`,
  mayNotReview: '这个令牌不能发布评审，内容如下。',
  planApproved: '计划已批准，接下来执行。',
  planNotApproved: '要执行，请写 `/dsh fix`；要修改，请写 `/dsh plan` 和修改意见。',
  nothing: '没有要发布的改动。',
  leftOut: '未发布的改动，需由人来应用',
  whatToDo: '怎么办',
  kept: '目前的改动已保留：`/dsh retry` 从这里继续。',
  keptPatch: '目前的改动（补丁）',
  lost: (why) => `目前的改动没能保留：${why}`,
  refusedHosts: (hosts) => `网络拒绝了：${hosts}。`,
  more: (count) => `还有 ${count} 个`,
};

export const ENDING_TEXTS: Readonly<Record<Language, EndingTexts>> = { en: EN, zh: ZH };
