import { setTimeout as sleep } from 'node:timers/promises';
import type { Comment } from '../../../src/demo/github/records.ts';
import { botComments } from './look.ts';
import { SMALL_FILES } from './small-repository.ts';
import type { Files, Stage, Subject } from './stage.ts';

type Place = Pick<Subject, 'repo' | 'number'>;

/** A repository in which whatever mends the slip needs a person's yes; `parkMs` is how long a turn holds on for it. */
export function askingFiles(parkMs: number, more = ''): Files {
  const settings = `${SMALL_FILES['.github/dsh.yml']}park: { afterMs: ${parkMs} }
approval:
  rules: [{ tool: bash, arguments: 'sed*', then: ask }]
${more}`;
  return { ...SMALL_FILES, '.github/dsh.yml': settings };
}

/** The comment that asks people something, once it is there. */
export async function requestComment(stage: Stage, subject: Place, nth = 0): Promise<Comment> {
  for (let waited = 0; waited < 30_000; waited += 25) {
    const found = requestsOf(stage, subject)[nth];
    if (found) return found;
    await sleep(25);
  }
  throw new Error(`nobody was asked anything in ${subject.repo}#${subject.number}`);
}

export function requestsOf(stage: Stage, subject: Place): Comment[] {
  return botComments(stage, subject).filter(({ body }) => body.includes('<!-- dsh:request '));
}

export function idOf({ body }: Pick<Comment, 'body'>): string {
  return /<!-- dsh:request ([a-z]+_\w+) -->/.exec(body)![1]!;
}

/** Ticks boxes of a comment, by their places, as a person does in the browser. */
export async function tick(stage: Stage, { repo }: Place, comment: Comment, by: string, ...places: number[]) {
  let at = -1;
  const body = comment.body.replaceAll(/^( *- )\[([ x])\]/gm, (box, lead: string) => {
    at += 1;
    return places.includes(at) ? `${lead}[x]` : box;
  });
  await stage.github.editComment(repo, comment.id, { by, body });
}
