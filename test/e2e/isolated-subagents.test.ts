import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { callsAll, says } from '../../src/demo/model/reply.ts';
import type { Reply, ReplyCall, Script } from '../../src/demo/model/reply.ts';
import { viaApp } from './support/hosts.ts';
import { gitOf, repositoryOf } from './support/look.ts';
import { SMALL_FILES, SMALL_ISSUE, run, submit } from './support/small-repository.ts';
import { openStage } from './support/stage.ts';
import type { Stage } from './support/stage.ts';

/** A fix whose parts children make side by side, each in a container and tree of its own. */
let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(async () => {
  expect(await stage.close()).toEqual([]);
});

const call = (name: string, args: object): ReplyCall => ({ name, arguments: JSON.stringify(args) });
const part = (prompt: string) => call('subagent_isolated', { description: 'one part', prompt });
const IN_CHILD: Readonly<Record<string, string>> = {
  'MEND the greeting': "sed -i 's/helo/hello/' greet.txt; ls",
  'ADD a farewell': 'echo bye > farewell.txt; ls',
};

/** Each child does its part; its parent takes over both patches and submits. */
function inParts(): Script {
  let step = 0;
  return ({ messages }): Reply => {
    const all = JSON.stringify(messages);
    const task = Object.keys(IN_CHILD).find((prompt) => all.includes(prompt));
    const isChild = !all.includes(SMALL_ISSUE.title);
    if (isChild) return messages.at(-1)?.role === 'tool' ? says('It is done.') : run(IN_CHILD[task!]!);
    step += 1;
    if (step === 1) return callsAll(Object.keys(IN_CHILD).map(part));
    const patches = [...all.matchAll(/changes are patch ([0-9a-f]{40})/g)].map(([, id]) => id!);
    if (step === 2) return callsAll(patches.map((patch) => call('apply_subagent_patch', { patch })));
    return submit();
  };
}

describe('subagent', () => {
  it('N2 two parts of a fix, made side by side in trees of their own, become one pull request, and nothing is left behind', async () => {
    const files = { ...SMALL_FILES, '.github/dsh.yml': `${SMALL_FILES['.github/dsh.yml']}subagents: true\n` };
    const { repo, number } = await stage.addIssue('in-parts', files, SMALL_ISSUE);
    stage.play(inParts());

    await viaApp(stage, () => stage.github.comment(repo, number, { by: 'maria', body: '/dsh fix' }));

    const [pull] = [...repositoryOf(stage, repo).issues.values()].flatMap((issue) => issue.pull ?? []);
    const { ref } = pull!.head;
    expect(await gitOf(stage, repo, 'show', `${ref}:greet.txt`)).toBe('hello world');
    expect(await gitOf(stage, repo, 'show', `${ref}:farewell.txt`)).toBe('bye');
    expect(await gitOf(stage, repo, 'diff', '--name-only', `main...${ref}`)).toBe('farewell.txt\ngreet.txt');
  }, 120_000);
});
