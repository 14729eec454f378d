import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { calls } from '../../src/demo/model/reply.ts';
import { idOf, requestComment } from './support/asking.ts';
import { viaApp } from './support/hosts.ts';
import { containersOf } from './support/leftovers.ts';
import { botComments } from './support/look.ts';
import { MEND, SMALL_FILES, SMALL_ISSUE, submit } from './support/small-repository.ts';
import { openStage } from './support/stage.ts';
import type { Stage, Subject } from './support/stage.ts';

/** A wider sandbox for one call, from the model's wish to a person's answer on GitHub, with a real container. */
let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(async () => {
  expect(await stage.close()).toEqual([]);
});

const FILES = { ...SMALL_FILES, '.github/dsh.yml': `${SMALL_FILES['.github/dsh.yml']}park: { afterMs: 200 }\n` };
const COUNT = 'echo "proxies: $(env | grep -ci https_proxy), user $(id -u)"';
const look = (more: object = {}) => calls('bash', { command: COUNT, description: 'Look around', ...more });
const say = ({ repo, number }: Subject, body: string) => stage.github.comment(repo, number, { by: 'maria', body });

/** The results of tool calls that the model has been shown since. */
const shownSince = (from: number) => JSON.stringify(stage.model.requests.slice(from).at(-1)?.body?.messages);

async function asked(name: string, wish: object): Promise<Subject> {
  const subject = await stage.addIssue(name, FILES, SMALL_ISSUE);
  stage.play([look(wish)]);
  const { handled, log } = await viaApp(stage, () => say(subject, '/dsh fix'));
  expect([handled.map(({ status }) => status), log]).toEqual([['parked'], '']);
  return subject;
}

describe('sandbox', () => {
  it.each([
    [
      'network',
      { network: 'full', justification: 'a schema is fetched' },
      'open network full: a schema is fetched',
      /proxies: [1-9], user [1-9]/,
    ],
    [
      'sandbox_permissions',
      { sandbox_permissions: 'danger-full-access', justification: 'a package is missing' },
      'escalate sandbox to danger-full-access: a package is missing',
      /proxies: 0, user 0/,
    ],
  ])(
    'N12 N2 a wider %s is asked for on GitHub, and had for the one call once a person agrees',
    async (field, wish, reason, had) => {
      const subject = await asked(`wider-${field.replace('_', '-')}`, wish);
      const request = await requestComment(stage, subject);
      expect(request.body).toContain(reason);
      expect(await containersOf(stage.root)).toEqual([]);
      const from = stage.model.requests.length;

      stage.play([look(), MEND, submit()]);
      const { handled, log } = await viaApp(stage, () => say(subject, `/dsh approve ${idOf(request)}`));

      expect([handled.map(({ status }) => status), log]).toEqual([['completed'], '']);
      const shown = shownSince(from);
      expect(shown).toMatch(had);
      expect(shown).toMatch(/proxies: 0, user [1-9]/);
      expect(botComments(stage, subject)[0]?.body).toContain('**Done**');
      expect(await containersOf(stage.root)).toEqual([]);
    },
  );

  it('N12 what a person denies does not run, and the turn goes on', async () => {
    const subject = await asked('denied', { network: 'full', justification: 'a schema is fetched' });
    const request = await requestComment(stage, subject);
    const from = stage.model.requests.length;

    stage.play([MEND, submit()]);
    const { handled } = await viaApp(stage, () => say(subject, `/dsh deny ${idOf(request)} it is in the tree`));

    expect(handled.map(({ status }) => status)).toEqual(['completed']);
    expect(shownSince(from)).toContain('it is in the tree');
    expect(shownSince(from)).not.toMatch(/proxies: \d/);
  });
});
