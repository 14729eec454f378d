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
const say = ({ repo, number }: Subject, body: string, by = 'maria') => stage.github.comment(repo, number, { by, body });
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
