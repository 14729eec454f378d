import type { RepositoryAccess } from '../../bot/job/job.ts';
import { findComments } from '../../github/comments.ts';
import { isGone } from '../../github/request-hook.ts';
import { LANGUAGES, languageOf } from '../../publish/language.ts';
import type { Language } from '../../publish/language.ts';
import { requestMarker } from '../../publish/markers.ts';
import { PROGRESS_TEXTS } from '../../publish/progress/progress-texts.ts';
import { REQUEST_TEXTS } from '../../publish/request/request-texts.ts';
import type { HumanRequest } from '../../store/records.ts';
import { namedRequest } from '../../triggers/named-request.ts';
import type { ReadSubject } from '../../triggers/reading.ts';

export interface Forgetting {
  readonly access: RepositoryAccess;
  readonly get: (id: string) => Promise<HumanRequest | undefined>;
  readonly language: Language | undefined;
  readonly signal: AbortSignal;
}

/**
 * Somebody answers what a run asked of which nothing is left: its job was killed before it saved, what it kept expired, or
 * the key was changed. The comment that asks says so from now on, and that of its job waits no more: both would do so
 * forever.
 */
export async function closeForgotten(reading: ReadSubject, { access, get, ...told }: Forgetting): Promise<void> {
  const { github, repo, ownLogin } = access;
  const { language, signal } = told;
  for (const id of answeredBy(reading)) {
    if (await get(id)) continue;
    const ours = await findComments(
      github,
      repo,
      reading.subject.number,
      (one) => one.user?.login === ownLogin,
      signal,
    );
    for (const { id: comment_id, body = '' } of ours) {
      const closed = closedRequest(body, id, language) ?? stoppedJob(body, id);
      if (closed === undefined) continue;
      const edit = { ...repo, comment_id, body: closed, request: { signal } };
      await github.rest.issues.updateComment(edit).catch((error: unknown) => {
        if (!isGone(error)) throw error;
      });
    }
  }
}

function answeredBy(reading: ReadSubject): readonly string[] {
  if (reading.kind === 'boxes') return [reading.request];
  const isAnswer = reading.kind === 'command' && ['approve', 'deny', 'answer'].includes(reading.command.name);
  return isAnswer ? namedRequest(reading.command).ids : [];
}

/** Only what waits ends with its id. */
function closedRequest(body: string, id: string, language: Language | undefined): string | undefined {
  const marker = requestMarker(id);
  if (!body.startsWith(marker) || !body.includes(`\`${id}\`</sub>`)) return undefined;
  const spoken = languageOf(language, body);
  return `${marker}\n**${REQUEST_TEXTS[spoken].ended.cancelled}**\n\n${FORGOTTEN[spoken]}\n`;
}

function stoppedJob(body: string, id: string): string | undefined {
  const spoken = LANGUAGES.find((language) => body.includes(PROGRESS_TEXTS[language].seeRequest(id)));
  if (!spoken || !body.startsWith('<!-- dsh:job ')) return undefined;
  const { waiting, stopped } = PROGRESS_TEXTS[spoken].headings;
  return body.replace(`**${waiting}**`, `**${stopped}**`);
}

const FORGOTTEN: Readonly<Record<Language, string>> = {
  en: 'What was done until this question is not there any more, so no answer can reach it: its run ended before it could be kept, what was kept has expired, or the `api-key` was changed. Please give the command again.',
  zh: '提出这个问题之前所做的工作已不存在，因此任何回答都无法送达：那次运行在保存之前就结束了，或保存的内容已过期，或 `api-key` 已更换。请重新发出命令。',
};
