import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { calls, says } from '../../src/demo/model/reply.ts';
import { askingFiles, idOf, requestComment, requestsOf, tick } from './support/asking.ts';
import { viaApp } from './support/hosts.ts';
import { serveApart } from './support/serve-apart.ts';
import { containersOf } from './support/leftovers.ts';
import { botComments, branchesOf, gitOf, issueOf, pullsOf, reactionsOn } from './support/look.ts';
import { MEND, run, SMALL_FILES, SMALL_ISSUE, submit } from './support/small-repository.ts';
import { openStage } from './support/stage.ts';
import type { Stage, Subject } from './support/stage.ts';

/** The life of an approval on the test GitHub: asked, waited for, answered, gone on with. */
let stage: Stage;
let runs = 0;

beforeAll(async () => {
  stage = await openStage();
});

afterAll(async () => {
  expect(await stage.close()).toEqual([]);
});

const BRANCH = 'dsh/issue-1-greet-with-hello';
const addIssue = (files = askingFiles(200)) => stage.addIssue(`approvals-${runs++}`, files, SMALL_ISSUE);
const say = ({ repo, number }: Pick<Subject, 'repo' | 'number'>, body: string, by = 'maria') =>
  stage.github.comment(repo, number, { by, body });
const greeting = ({ repo }: Subject, ref = BRANCH) => gitOf(stage, repo, 'show', `${ref}:greet.txt`);

async function parked(files?: Parameters<typeof addIssue>[0]): Promise<Subject> {
  const subject = await addIssue(files);
  stage.play([MEND]);
  const { handled, log } = await viaApp(stage, () => say(subject, '/dsh fix'));
  expect([handled.map(({ status }) => status), log]).toEqual([['parked'], '']);
  return subject;
}

describe('bot-human-loop', () => {
  it('A1 A2 A3 K1 K2 K3 P5 N6 asked, parked, ticked by an outsider (undone), approved by command: the call runs once and the pull request is made', async () => {
    const subject = await parked();
    const asked = await requestComment(stage, subject);
    expect(asked.body).toContain("sed -i 's/helo/hello/' greet.txt");
    expect(asked.body).toContain(`/dsh approve ${idOf(asked)}`);
    expect(asked.body).toMatch(/- \[ \] Approve.*\n- \[ \] Deny/);
    expect(botComments(stage, subject)[0]?.body).toContain('**Waiting for you**');
    expect(reactionsOn(issueOf(stage, subject).comments[0]!)).toEqual(['dsh[bot] eyes']);
    expect(await containersOf(stage.root)).toEqual([]);

    await viaApp(stage, () => tick(stage, subject, asked, 'rita', 0));
    expect(requestsOf(stage, subject)[0]?.body).toMatch(/- \[ \] Approve.*\n- \[ \] Deny/);
    expect(pullsOf(stage, subject.repo)).toEqual([]);

    stage.play(() => submit());
    const { handled, log } = await viaApp(stage, () => say(subject, `/dsh approve ${idOf(asked)}`));

    expect([handled.map(({ status }) => status), log]).toEqual([['completed'], '']);
    expect(await greeting(subject)).toBe('hello world');
    expect(pullsOf(stage, subject.repo)).toHaveLength(1);
    expect(requestsOf(stage, subject)).toHaveLength(1);
    expect(requestsOf(stage, subject)[0]?.body).toMatch(/\*\*Approved\*\*[^]*Approved by maria by command/);
    expect(requestsOf(stage, subject)[0]?.body).not.toContain('[ ]');
    expect(botComments(stage, subject)[0]?.body).toContain('**Done**');
    expect(reactionsOn(issueOf(stage, subject).comments[0]!)).toEqual(['dsh[bot] rocket']);
    expect(await branchesOf(stage, subject.repo)).toEqual([BRANCH, 'main']);
  });

  it('A3 A7 N5 denied with a reason: the model is told it and goes on without the call; a later answer changes nothing and is told who decided', async () => {
    const subject = await parked();
    const id = idOf(await requestComment(stage, subject));
    stage.play(() => submit({ outcome: 'not_fixed', title: 'Nothing', summary: 'It may not be mended.' }));

    const { handled } = await viaApp(stage, () => say(subject, `/dsh deny ${id} use the editor instead`));

    expect(handled.map(({ status }) => status)).toEqual(['completed']);
    expect(JSON.stringify(stage.model.requests.at(-1)?.body?.messages)).toContain(
      'refused this call: use the editor instead',
    );
    expect(requestsOf(stage, subject)[0]?.body).toMatch(
      /\*\*Denied\*\*[^]*Denied by maria by command[^]*Reason: use the editor instead/,
    );
    expect(pullsOf(stage, subject.repo)).toEqual([]);

    const before = stage.model.requests.length;
    stage.github.addCollaborator(subject.repo, 'otto', 'admin');
    await viaApp(stage, () => say(subject, `/dsh approve ${id}`, 'otto'));
    expect(botComments(stage, subject).at(-1)?.body).toMatch(/was denied by maria before/);
    expect(stage.model.requests.length).toBe(before);
  });

  it('A5 N7 nobody answers: the sweep of the next process finds that the time is over, and the turn goes on with a refusal', async () => {
    const subject = await parked(askingFiles(100, '  timeoutMs: 1000\n'));
    await new Promise((resolve) => setTimeout(resolve, 1_200));
    stage.play(() => submit({ outcome: 'not_fixed', title: 'Nothing', summary: 'Nobody answered.' }));

    const { handled, log } = await viaApp(stage, () => requestSettled(subject));

    expect([handled.map(({ status }) => status), log]).toEqual([['completed'], '']);
    expect(requestsOf(stage, subject)[0]?.body).toContain('**Nobody answered**');
    expect(JSON.stringify(stage.model.requests.at(-1)?.body?.messages)).toContain('nobody answered in time');
  });

  it('A4 a thumb of somebody who may decide is seen by the sweep; those of others and of bots count for nothing', async () => {
    const subject = await parked();
    const asked = await requestComment(stage, subject);
    for (const by of ['rita', 'tom', 'dsh[bot]']) {
      await stage.github.react(subject.repo, { comment: asked.id }, { by, content: '-1' });
    }
    await viaApp(stage, async () => {});
    expect(requestsOf(stage, subject)[0]?.body).toContain('Waiting for an approval');

    await stage.github.react(subject.repo, { comment: asked.id }, { by: 'maria', content: '+1' });
    stage.play(() => submit());
    const { handled } = await viaApp(stage, () => requestSettled(subject));

    expect(handled.map(({ status }) => status)).toEqual(['completed']);
    expect(requestsOf(stage, subject)[0]?.body).toContain('Approved by maria by a reaction');
    expect(await greeting(subject)).toBe('hello world');
  });

  it('K4 another command instead of an answer: the request is withdrawn, the call refused, and the command runs', async () => {
    const subject = await parked();
    stage.play([says('It says helo.')]);

    const { handled, log } = await viaApp(stage, () => say(subject, '/dsh ask what is it about?'));

    expect([handled.map(({ status }) => status), log]).toEqual([['completed'], '']);
    expect(requestsOf(stage, subject)[0]?.body).toMatch(/\*\*Withdrawn\*\*[^]*another command came instead/);
    const said = JSON.stringify(stage.model.requests.at(-1)?.body?.messages);
    expect(said).toContain('the request was withdrawn');
    expect(botComments(stage, subject)[0]?.body).toContain('**Stopped**');
    const late = requestsOf(stage, subject)[0]!;
    await viaApp(stage, () => say(subject, `/dsh approve ${idOf(late)}`));
    expect(botComments(stage, subject).at(-1)?.body).toMatch(/was withdrawn before/);
    expect(await branchesOf(stage, subject.repo)).toEqual(['main']);
  });

  it('S3 N7 the issue is closed while its turn is parked: the request is withdrawn and no turn opens for it', async () => {
    const subject = await parked();
    const before = stage.model.requests.length;

    await viaApp(stage, () => stage.github.editIssue(subject.repo, subject.number, { by: 'maria', state: 'closed' }));

    expect(requestsOf(stage, subject)[0]?.body).toMatch(/\*\*Withdrawn\*\*[^]*was closed/);
    expect(botComments(stage, subject)[0]?.body).toContain('**Stopped**');
    expect(stage.model.requests.length).toBe(before);
  });

  it('S3 N7 N10 the request comment is deleted: it is withdrawn and stays deleted', async () => {
    const subject = await parked();
    const asked = await requestComment(stage, subject);

    await viaApp(stage, () => stage.github.deleteComment(subject.repo, asked.id, { by: 'maria' }));
    await viaApp(stage, () => say(subject, `/dsh approve ${idOf(asked)}`));

    expect(requestsOf(stage, subject)).toEqual([]);
    expect(botComments(stage, subject).at(-1)?.body).toMatch(/was withdrawn before/);
    expect(pullsOf(stage, subject.repo)).toEqual([]);
  });

  it('A6 N1 a publication that touches workflows or our settings is asked for, all in one, and goes on with the yes', async () => {
    const subject = await addIssue(SMALL_FILES);
    const change = run(
      "sed -i 's/helo/hello/' greet.txt && printf '\\n# mended\\n' >> .github/dsh.yml && printf 'park: { afterMs: 100 }\\n' >> .github/dsh.yml",
    );
    stage.play((_request, at) => (at === 0 ? change : submit()));
    const first = await viaApp(stage, () => say(subject, '/dsh fix'), {}, [], {}, { park: { afterMs: 100 } });
    expect(first.handled.map(({ status }) => status)).toEqual(['parked']);
    const asked = await requestComment(stage, subject);
    expect(asked.body).toContain('The bot wants to publish this');
    expect(asked.body).toContain('.github/dsh.yml (modified)');
    expect(pullsOf(stage, subject.repo)).toEqual([]);

    const { handled, log } = await viaApp(stage, () => tick(stage, subject, asked, 'maria', 0));

    expect([handled.map(({ status }) => status), log]).toEqual([['completed'], '']);
    expect(await gitOf(stage, subject.repo, 'diff', '--name-only', `main..${BRANCH}`)).toBe(
      '.github/dsh.yml\ngreet.txt',
    );
    expect(requestsOf(stage, subject)).toHaveLength(1);
  });

  it('A6 what is refused of a publication is left out and given as a patch; the rest is published', async () => {
    const subject = await addIssue(SMALL_FILES);
    const change = run("sed -i 's/helo/hello/' greet.txt && printf '# mended\\n' >> .github/dsh.yml");
    stage.play((_request, at) => (at === 0 ? change : submit()));
    await viaApp(stage, () => say(subject, '/dsh fix'), {}, [], {}, { park: { afterMs: 100 } });
    const asked = await requestComment(stage, subject);

    const { handled } = await viaApp(stage, () => tick(stage, subject, asked, 'maria', 1));

    expect(handled.map(({ status }) => status)).toEqual(['completed']);
    expect(await gitOf(stage, subject.repo, 'diff', '--name-only', `main..${BRANCH}`)).toBe('greet.txt');
    expect(botComments(stage, subject)[0]?.body).toContain('+# mended');
  });
});

describe('approval', () => {
  const SETTINGS = run("sed -i 's/helo/hello/' greet.txt && printf '# mended\\n' >> .github/dsh.yml");
  const onFirst = (_request: unknown, at: number) => (at === 0 ? SETTINGS : submit());

  async function pullWithSlip() {
    const repo = await stage.addRepository(`approvals-${runs++}`, SMALL_FILES);
    await stage.github.push(repo, { by: 'maria', branch: 'more', files: { 'more.txt': 'more\n' } });
    const { number } = await stage.github.openPull(repo, { by: 'maria', title: 'More', head: 'more', base: 'main' });
    return { repo, number };
  }

  it.each([
    ['parked', 100],
    ['still waited for', 600_000],
  ])(
    'N7 N10 somebody pushes to the branch while a publication to it is %s: what was asked is withdrawn and says so, and the new plan is asked for',
    async (_how, afterMs) => {
      const subject = await pullWithSlip();
      stage.play(onFirst);
      const settings = { park: { afterMs } };
      const push = () =>
        stage.github.push(subject.repo, { by: 'maria', branch: 'more', files: { 'pushed.txt': 'pushed\n' } });
      let pushed = '';
      const second = async () => void (await requestComment(stage, subject, 1));
      if (afterMs < 1_000) {
        const first = await viaApp(stage, () => say(subject, '/dsh fix'), {}, [], {}, settings);
        expect(first.handled.map(({ status }) => status)).toEqual(['parked']);
        const moved = await viaApp(stage, async () => (pushed = await push()), {}, [], {}, settings);
        expect([moved.handled.map(({ status }) => status), moved.log]).toEqual([['parked'], '']);
        await second();
      }
      const { handled, log } = await viaApp(
        stage,
        async () => {
          if (afterMs > 1_000) {
            await say(subject, '/dsh fix');
            await requestComment(stage, subject);
            pushed = await push();
            await second();
          }
          const [old, asked] = requestsOf(stage, subject);
          expect(old!.body).toContain('what would be published is different now; it is asked anew');
          expect(asked!.body).toContain('the branch moved since it was asked before');
          expect(asked!.body).toContain(pushed.slice(0, 7));
          await say(subject, `/dsh approve ${idOf(old!)}`);
          await tick(stage, subject, asked!, 'maria', 0);
        },
        {},
        [],
        {},
        settings,
      );

      expect([handled.map(({ status }) => status).includes('completed'), log]).toEqual([true, '']);
      expect(await gitOf(stage, subject.repo, 'rev-parse', 'more~1')).toBe(pushed);
      expect(await gitOf(stage, subject.repo, 'diff', '--name-only', 'more~1..more')).toBe(
        '.github/dsh.yml\ngreet.txt',
      );
      expect(requestsOf(stage, subject)).toHaveLength(2);
    },
  );

  it('N6 N10 the base moved, of which no event tells: the yes to the old plan publishes nothing, and the new plan is asked for', async () => {
    const subject = await addIssue(SMALL_FILES);
    stage.play(onFirst);
    const settings = { park: { afterMs: 100 } };
    await viaApp(stage, () => say(subject, '/dsh fix'), {}, [], {}, settings);
    const base = await stage.github.push(subject.repo, {
      by: 'maria',
      branch: 'main',
      files: { 'more.txt': 'more\n' },
    });
    const asked = await requestComment(stage, subject);

    const again = await viaApp(stage, () => tick(stage, subject, asked, 'maria', 0), {}, [], {}, settings);

    expect([again.handled.map(({ status }) => status), again.log]).toEqual([['parked'], '']);
    expect(pullsOf(stage, subject.repo)).toEqual([]);
    const { handled } = await viaApp(stage, async () => {
      await tick(stage, subject, await requestComment(stage, subject, 1), 'maria', 0);
    });
    expect(handled.map(({ status }) => status)).toEqual(['completed']);
    expect(await gitOf(stage, subject.repo, 'rev-parse', `${BRANCH}~1`)).toBe(base);
    expect(requestsOf(stage, subject)).toHaveLength(2);
  });

  it('N7 a call that waits is left alone by a push: the very call that was shown runs', async () => {
    const repo = await stage.addRepository(`approvals-${runs++}`, askingFiles(200));
    await stage.github.push(repo, { by: 'maria', branch: 'more', files: { 'more.txt': 'more\n' } });
    const { number } = await stage.github.openPull(repo, { by: 'maria', title: 'More', head: 'more', base: 'main' });
    const subject = { repo, number };
    stage.play([MEND, submit()]);
    await viaApp(stage, () => say(subject, '/dsh fix'));

    await viaApp(stage, () => stage.github.push(repo, { by: 'maria', branch: 'more', files: { 'pushed.txt': 'x\n' } }));
    const [asked, ...others] = requestsOf(stage, subject);
    expect([others, asked!.body.includes('Waiting for an approval')]).toEqual([[], true]);
    const { handled } = await viaApp(stage, () => tick(stage, subject, asked!, 'maria', 0));

    expect(handled.map(({ status }) => status)).toEqual(['completed']);
    expect(await gitOf(stage, repo, 'show', 'more:greet.txt')).toContain('hello');
    expect(await gitOf(stage, repo, 'show', 'more:pushed.txt')).toBe('x');
  });
});

describe('bot-human-loop', () => {
  it('K3 N10 killed while it waits: another process undoes an outsider’s tick, takes a maintainer’s, and the exact call runs once', async () => {
    const subject = await addIssue(askingFiles(600_000));
    stage.play([MEND]);
    const first = await serveApart(stage);
    await say(subject, '/dsh fix');
    const asked = await requestComment(stage, subject);
    first.kill();
    await first.gone;
    stage.github.setWebhookTarget(undefined);

    stage.play(() => submit());
    const { handled, log } = await viaApp(stage, async () => {
      await tick(stage, subject, asked, 'rita', 0);
      await untilBody(subject, /- \[ \] Approve/);
      await tick(stage, subject, requestsOf(stage, subject)[0]!, 'maria', 0);
      await untilBody(subject, /\*\*Approved\*\*/);
      await untilPull(subject);
    });

    expect(log).toBe('');
    expect(handled.map(({ status }) => status)).toContain('completed');
    expect(await greeting(subject)).toBe('hello world');
    expect(pullsOf(stage, subject.repo)).toHaveLength(1);
    expect(requestsOf(stage, subject)).toHaveLength(1);
    expect(botComments(stage, subject)).toHaveLength(2);
    const ran = stage.model.requests.at(-1)?.body?.messages.filter(({ role }) => role === 'tool');
    expect(ran?.[0]?.content).not.toMatch(/unknown|interrupted|refused/);
  }, 90_000);

  it('A2 A3 A5 K3 N7 N10 killed while three wait: in another process one is denied, one stopped and one runs out of time, and no call ever runs', async () => {
    const [denied, stopped, late] = [
      await addIssue(askingFiles(600_000)),
      await addIssue(askingFiles(600_000)),
      await addIssue(askingFiles(600_000, '  timeoutMs: 3000\n')),
    ] as const;
    for (const { repo } of [denied, stopped, late]) stage.github.addCollaborator(repo, 'otto', 'admin');
    stage.play(() => MEND);
    const first = await serveApart(stage);
    for (const [subject, by] of [
      [denied, 'maria'],
      [stopped, 'otto'],
      [late, 'maria'],
    ] as const) {
      await say(subject, '/dsh fix', by);
      await requestComment(stage, subject);
    }
    first.kill();
    await first.gone;
    stage.github.setWebhookTarget(undefined);
    while (Date.now() < requestsOf(stage, late)[0]!.createdAt.getTime() + 3_500) await pause();

    stage.play(() => submit({ outcome: 'not_fixed', title: 'Nothing', summary: 'It was not to be.' }));
    const { log } = await viaApp(stage, async () => {
      const [asked] = requestsOf(stage, denied);
      await tick(stage, denied, asked!, 'rita', 0);
      await untilBody(denied, /- \[ \] Approve/);
      await say(denied, `/dsh deny ${idOf(asked!)} not on a Friday`);
      await say(stopped, '/dsh stop');
      await untilBody(denied, /\*\*Denied\*\*/);
      await untilBody(stopped, /\*\*Withdrawn\*\*/);
      await untilBody(late, /\*\*Nobody answered\*\*/);
      await say(denied, `/dsh approve ${idOf(asked!)}`, 'otto');
    });

    expect(log).toBe('');
    for (const subject of [denied, stopped, late]) {
      expect(pullsOf(stage, subject.repo)).toEqual([]);
      expect(await branchesOf(stage, subject.repo)).toEqual(['main']);
      expect(requestsOf(stage, subject)).toHaveLength(1);
    }
    expect(requestsOf(stage, denied)[0]?.body).toContain('Reason: not on a Friday');
    expect(botComments(stage, denied).at(-1)?.body).toMatch(/was denied by maria before/);
    const told = stage.model.requests.flatMap(({ body }) => body?.messages ?? []).filter(({ role }) => role === 'tool');
    expect(JSON.stringify(told)).toContain('a person refused this call: not on a Friday');
    expect(JSON.stringify(told)).toContain('nobody answered in time');
  }, 90_000);
});

describe('approval', () => {
  it('N1 N6 a wider sandbox for one call is asked for, parked and granted to exactly that call', async () => {
    const subject = await addIssue(SMALL_FILES);
    const command = "sed -i 's/helo/hello/' greet.txt && touch /opt/wide && echo is wide";
    const wide = { sandbox_permissions: 'danger-full-access', justification: 'it writes outside' };
    stage.play([calls('bash', { command, description: 'Change a file', ...wide })]);
    const first = await viaApp(stage, () => say(subject, '/dsh fix'), {}, [], {}, { park: { afterMs: 100 } });
    expect([first.handled.map(({ status }) => status), first.log]).toEqual([['parked'], '']);
    const asked = await requestComment(stage, subject);
    expect(asked.body).toContain('escalate sandbox to danger-full-access: it writes outside');
    expect(asked.body).toContain('sandbox mode danger-full-access, for this call');

    stage.play((_request, at) => (at === 0 ? run('touch /opt/again') : submit()));
    const { handled, log } = await viaApp(stage, () => tick(stage, subject, asked, 'maria', 0));

    expect([handled.map(({ status }) => status), log]).toEqual([['completed'], '']);
    const results = stage.model.requests.at(-1)!.body!.messages.filter(({ role }) => role === 'tool');
    expect(results[0]?.content).toContain('is wide');
    expect(results[1]?.content).toMatch(/denied|Read-only|Permission/i);
    expect(requestsOf(stage, subject)).toHaveLength(1);
    expect(await greeting(subject)).toBe('hello world');
  });
});

const pause = () => new Promise((resolve) => setTimeout(resolve, 50));

async function untilBody(subject: Subject, pattern: RegExp): Promise<void> {
  for (let waited = 0; waited < 40_000 && !pattern.test(requestsOf(stage, subject)[0]?.body ?? ''); waited += 50)
    await pause();
  expect(requestsOf(stage, subject)[0]?.body).toMatch(pattern);
}
async function untilPull({ repo }: Subject): Promise<void> {
  for (let waited = 0; waited < 30_000 && pullsOf(stage, repo).length === 0; waited += 50) await pause();
}

async function requestSettled(subject: Subject): Promise<void> {
  for (let waited = 0; waited < 20_000; waited += 50) {
    if (!requestsOf(stage, subject)[0]?.body.includes('Waiting for')) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
