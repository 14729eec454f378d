import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ChatRequest } from '../../src/demo/model/chat-request.ts';
import { calls } from '../../src/demo/model/reply.ts';
import type { Reply, Script } from '../../src/demo/model/reply.ts';
import type { SessionEvent } from '../../src/harness/session/types.ts';
import { viaAction, viaApp, viaCli } from './support/hosts.ts';
import { botComments, repositoryOf } from './support/look.ts';
import { runDsh } from './support/run-dsh.ts';
import { SMALL_FILES, SMALL_ISSUE } from './support/small-repository.ts';
import { commonVariables, openStage } from './support/stage.ts';
import type { Stage } from './support/stage.ts';

/** Work that is longer than the window, with a skill of the repository, on every host. */
const FILES = {
  ...SMALL_FILES,
  '.github/dsh.yml': 'workingWindow: 14000\n',
  '.dsh/skills/greetings/SKILL.md': '---\nname: greetings\ndescription: How we greet.\n---\nUse words.txt.\n',
  '.dsh/skills/greetings/words.txt': 'hello, and nothing else\n',
};
const PAGES = 9;
const ANSWER = 'It should say hello, and nothing else.';

let stage: Stage;
const logs = new Map<string, readonly SessionEvent[]>();

beforeAll(async () => {
  stage = await openStage();
  for (const host of ['app', 'action', 'cli']) {
    const { repo, number, url } = await stage.addIssue(`long-${host}`, FILES, SMALL_ISSUE);
    const ask = () => stage.github.comment(repo, number, { by: 'maria', body: '/dsh ask How should it greet?' });
    stage.play(longWork());
    if (host === 'app') await viaApp(stage, ask);
    if (host === 'cli') await viaCli(stage, ['ask', url, 'How should it greet?']);
    if (host === 'action') {
      await ask();
      await viaAction(stage, { repo, name: 'issue_comment', action: 'created', by: 'maria' });
    }
    const id = `gh-${repositoryOf(stage, repo).id}-${number}-1`;
    const { stdout } = await runDsh(['sessions', 'export', id], commonVariables(stage));
    logs.set(
      host,
      stdout
        .trim()
        .split('\n')
        .slice(1)
        .map((line) => JSON.parse(line) as SessionEvent),
    );
  }
}, 240_000);

afterAll(async () => {
  expect(await stage.close()).toEqual([]);
});

/** The model loads the skill, reads its file, prints page after page, and condenses when it is asked to. */
function longWork(): Script {
  let step = 0;
  return (request): Reply => {
    const last = textOf(request.messages.at(-1));
    if (last.includes('Condense the conversation')) return { text: 'CONDENSED: we greet with hello.' };
    step += 1;
    if (step === 1) return calls('skill', { name: 'greetings' });
    if (step === 2) return bash(`cat ${/\/dsh\/spill\/skills\/[0-9a-f/]+/.exec(last)?.[0]}/words.txt`);
    return step <= PAGES + 2 ? bash(`yes "line ${step} of the file" | head -n 1000`) : { text: ANSWER };
  };
}

const bash = (command: string) => calls('bash', { command, description: 'Look' });

function textOf(message: ChatRequest['messages'][number] | undefined): string {
  return typeof message?.content === 'string' ? message.content : JSON.stringify(message?.content ?? '');
}

describe.each(['app', 'action', 'cli'])('%s', (host) => {
  const ofType = <T extends SessionEvent['type']>(type: T) =>
    logs.get(host)!.filter((event): event is SessionEvent<T> => event.type === type);

  it('loads a skill of the base commit and reads its files in the container', () => {
    const [skill, words] = ofType('tool/result').map(({ data }) => JSON.stringify(data.content));

    expect(skill).toContain('Use words.txt.');
    expect(words).toContain('hello, and nothing else');
  });

  it('prunes and condenses a history that is larger than the window, and ends with the answer', () => {
    const pruned = ofType('tool/result').filter(({ surfaceOp }) => surfaceOp !== 'append');
    const [summary] = ofType('compact/summary');
    const [end] = ofType('compact/end');

    expect(pruned.length).toBeGreaterThan(2);
    expect(summary?.data.summary).toEqual([{ type: 'text', text: 'CONDENSED: we greet with hello.' }]);
    expect(end?.data.error).toBeUndefined();
    expect(ofType('turn/end').at(-1)?.data.reason).toEqual({ kind: 'completed' });
    if (host === 'cli') return;
    const bodies = botComments(stage, { repo: `acme/long-${host}`, number: 1 })
      .map(({ body }) => body)
      .join('\n');
    expect(bodies).toContain(ANSWER);
    expect(bodies).not.toContain('CONDENSED');
  });

  it('leaves a log that proves every request', async () => {
    const id = `gh-${repositoryOf(stage, `acme/long-${host}`).id}-1-1`;

    const { code, stdout } = await runDsh(['replay', id, '--rerun'], commonVariables(stage));

    expect(stdout).toContain('equal');
    expect(code).toBe(0);
  });
});
