import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { calls, refuses, says } from '../../src/demo/model/reply.ts';
import type { Reply } from '../../src/demo/model/reply.ts';
import { MAX_COMMANDS } from '../../src/triggers/may-start.ts';
import type { Context } from '../../src/harness/kernel/context.ts';
import '../../src/seams/commands/command-service.ts';
import { viaAction, viaApp } from './support/hosts.ts';
import { botComments, branchesOf, gitOf, issueOf, pullsOf, reactionsOn, repositoryOf } from './support/look.ts';
import { MEND, SMALL_FILES, SMALL_ISSUE, run, submit } from './support/small-repository.ts';
import { openStage } from './support/stage.ts';
import type { Stage, Subject } from './support/stage.ts';

/** What people can command, each on an issue of its own, through webhooks; nothing here needs a model unless it says so. */
let stage: Stage;
let subject: Subject;
let turn = 0;

beforeAll(async () => {
  stage = await openStage();
});

beforeEach(async () => {
  subject = await stage.addIssue(`commanded-${turn++}`, SMALL_FILES, SMALL_ISSUE);
  stage.play([]);
});

afterAll(async () => {
  expect(await stage.close()).toEqual([]);
});

const say = (body: string, by = 'maria') => stage.github.comment(subject.repo, subject.number, { by, body });
const told = () => botComments(stage, subject).map(({ body }) => body);
const lastTold = () => told().at(-1) ?? '';
const commentOf = (id: number) => issueOf(stage, subject).comments.find((comment) => comment.id === id)!;
const asked = (): number => stage.model.requests.length;
/** The model waits in its first request until somebody opens the gate. */
function held(...replies: Reply[]) {
  const { promise: reached, resolve: reach } = Promise.withResolvers<void>();
  const { promise: opened, resolve: open } = Promise.withResolvers<void>();
  stage.play(async (_request, index) => {
    if (index === 0) {
      reach();
      await opened;
    }
    return replies[index] ?? says('nothing more');
  });
  return { reached, open };
}
async function until(fact: () => boolean): Promise<void> {
  while (!fact()) await new Promise((resolve) => setTimeout(resolve, 20));
}

describe('bot-triggers', () => {
  it('T3 help lists every command, without a model', async () => {
    const before = asked();
    await viaApp(stage, () => say('/dsh'));

    for (const name of ['fix', 'goal', 'status', 'undo', 'config']) expect(lastTold()).toContain(`/dsh ${name}`);
    expect(asked()).toBe(before);
  });

  it('T3 config shows each setting with its source, and no address of the operator', async () => {
    await viaApp(stage, () => say('/dsh config'), { DSH_MODEL: 'deepseek/deepseek-flash' });

    expect(lastTold()).toContain('verify.commands: ["sh check.sh"]  # .github/dsh.yml');
    expect(lastTold()).toContain('permissions.run: "write"  # default');
    expect(lastTold()).not.toContain('modelBaseUrl');
  });

  it('T3 budget shows and sets what a turn may cost, up to what the operator allows', async () => {
    await viaApp(stage, async () => {
      await say('/dsh budget 500');
      await say('/dsh budget $2.5');
      await say('/dsh budget');
      await say('/dsh config');
    });

    expect(told()[0]).toContain('at most $5.00');
    expect(told()[1]).toContain('may cost $2.50');
    expect(told()[2]).toContain('may cost $2.50 and take 200 steps');
    expect(told()[3]).toContain('budget.turn.cost: 2.5  # session');
  });

  it('T3 model chooses the model of the next turn, among those there is a key for', async () => {
    stage.play([says('Because.')]);
    await viaApp(stage, async () => {
      await say('/dsh model nobody/x');
      await say('/dsh model deepseek/deepseek-chat');
      await say('/dsh ask Why?');
    });

    expect(told()[0]).toContain('There is no key for nobody here');
    expect(told()[1]).toContain('From the next turn on the model is deepseek/deepseek-chat');
    expect(stage.model.requests.at(-1)).toMatchObject({ body: { model: 'deepseek-chat' } });
  });

  it('T3 title, log and status tell of the session', async () => {
    stage.play([says('It greets.')]);
    await viaApp(stage, async () => {
      await say('/dsh log');
      await say('/dsh ask What does it do?');
    });
    await viaApp(stage, async () => {
      await say('/dsh title The greeting');
      await say('/dsh log');
      await say('/dsh status');
    });

    const [none, , named, log, status] = told();
    expect(none).toContain('There is no session here yet');
    expect(named).toContain('now called The greeting');
    expect(log).toContain('1 turn');
    expect(log).toContain('It greets.');
    expect(status).toContain('Nothing runs here.');
    expect(status).toMatch(/Spent in this session: [\d,]+ tokens/);
  });

  it('T3 forget starts a new session, which does not know the old one', async () => {
    stage.play([says('First answer.'), says('Second answer.')]);
    await viaApp(stage, () => say('/dsh ask One?'));
    await viaApp(stage, async () => {
      await say('/dsh forget --delete');
      await say('/dsh ask Two?');
    });

    expect(told().some((body) => body.includes('Forgotten and erased'))).toBe(true);
    expect(lastTold()).toMatch(/<!-- dsh:job gh-\d+-\d+-2 /);
    expect(JSON.stringify(stage.model.requests.at(-1)?.body)).not.toContain('First answer.');
  });

  it('T9 T3 what is commanded on the pull request goes on with the session of the issue', async () => {
    stage.play([MEND, submit(), says('I changed one word.')]);
    await viaApp(stage, () => say('/dsh fix'));
    const [pull] = pullsOf(stage, subject.repo);
    await viaApp(stage, () =>
      stage.github.comment(subject.repo, pull!.number, { by: 'maria', body: '/dsh ask What did you change?' }),
    );

    const answer = issueOf(stage, { repo: subject.repo, number: pull!.number }).comments.at(-1);
    expect(answer?.body).toContain(`-${subject.number}-1 comment-`);
    expect(JSON.stringify(stage.model.requests.at(-1)?.body)).toContain('submit_result');
  });

  it('T13 approve without anything that waits is told so; a reader is refused once', async () => {
    await viaApp(stage, async () => {
      await say('/dsh approve');
      await say('/dsh stop');
      await say('/dsh forget', 'rita');
      await say('/dsh undo', 'rita');
    });

    expect(told()[0]).toContain('Nothing waits for an answer here.');
    expect(told()[1]).toContain('Nothing runs here.');
    expect(told()).toHaveLength(3);
    const byRita = issueOf(stage, subject).comments.filter(({ author }) => author.login === 'rita');
    expect(byRita.map(reactionsOn)).toEqual([['dsh[bot] -1'], ['dsh[bot] -1']]);
  });

  it('T7 what nobody waits for asks GitHub nothing', async () => {
    const { github } = stage;
    const run = await viaApp(stage, async () => {
      const { id } = await say('just a word');
      await github.editComment(subject.repo, id, { by: 'maria', body: 'just another word' });
      await github.deleteComment(subject.repo, id, { by: 'maria' });
      await github.editIssue(subject.repo, subject.number, { by: 'maria', body: 'It says helo. Really.' });
      await github.editIssue(subject.repo, subject.number, { by: 'maria', state: 'closed' });
    });

    expect(run.handled).toEqual([]);
    expect(github.requests.filter(({ path }) => path.startsWith(`/repos/${subject.repo}`))).toEqual([]);
  });

  it('T14 the label starts a fix by whoever may write, and nothing by others', async () => {
    stage.play([MEND, submit()]);
    await viaApp(stage, () => stage.github.label(subject.repo, subject.number, { by: 'rita', labels: ['dsh'] }));
    expect(pullsOf(stage, subject.repo)).toEqual([]);
    await stage.github.unlabel(subject.repo, subject.number, { by: 'maria', label: 'dsh' });
    await viaApp(stage, () => stage.github.label(subject.repo, subject.number, { by: 'maria', labels: ['dsh'] }));

    expect(pullsOf(stage, subject.repo)).toHaveLength(1);
  });
});

describe('bot-triggers', () => {
  it('T6 two bots without a common store begin a job, and the one with the older comment goes on', async () => {
    stage.play([says('By the app.')]);
    await viaApp(stage, () => say('/dsh ask Why?'));
    const before = asked();
    const run = await viaAction(stage, { repo: subject.repo, name: 'issue_comment', action: 'created', by: 'maria' });

    expect([run.code, run.outputs.status]).toEqual([0, 'ignored']);
    expect(asked()).toBe(before);
    expect(botComments(stage, subject).map(({ author }) => author.login)).toEqual(['dsh[bot]']);
    expect(reactionsOn(issueOf(stage, subject).comments[0]!)).toEqual(['dsh[bot] rocket']);
  });

  it('T3 compact shortens what the model remembers, and says what went wrong where it cannot', async () => {
    stage.play([
      says('It greets.'),
      refuses(400, 'no summaries today'),
      says('Somebody asked what it does; it greets.'),
    ]);
    await viaApp(stage, () => say('/dsh compact'));
    await viaApp(stage, () => say('/dsh ask What does it do?'));
    await viaApp(stage, () => say('/dsh compact'));
    await viaApp(stage, () => say('/dsh compact'));

    const [none, , failed, shortened] = told();
    expect(none).toContain('There is no session here yet');
    expect(failed).toContain('no summaries today');
    expect(shortened).toMatch(/Shortened: about [\d,]+ tokens/);
  });
});

describe('commands', () => {
  const deploy = {
    name: 'deploy',
    inject: ['commands'],
    apply: (ctx: Context) => {
      ctx.commands.register({
        name: 'deploy',
        description: 'Deploys it for @everyone.',
        input: { hint: '<where>' },
        handler: ({ rawInput, agent }) => ({
          kind: 'success',
          text: `Deployed${rawInput} of ${agent.id} for @everyone.`,
        }),
      });
      ctx.commands.register({ name: 'ping', description: 'Says nothing.', handler: () => ({ kind: 'success' }) });
      ctx.commands.register({
        name: 'breaks',
        description: 'Breaks.',
        handler: () => {
          throw new Error('it broke');
        },
      });
    },
  };
  /** What it needs is there in a turn alone: its command is unknown between turns. */
  const inTurns = {
    name: 'in-turns',
    inject: ['commands', 'bash'],
    apply: (ctx: Context) =>
      void ctx.commands.register({
        name: 'inside',
        description: 'Needs a sandbox.',
        handler: () => ({ kind: 'success', text: 'Inside.' }),
      }),
  };

  it('C9 C10 the command of a plugin is understood while a turn runs and between turns, by whoever may run, and no other', async () => {
    const plugins = [inTurns, deploy];
    const gate = held(says('Because.'));
    const running = await viaApp(
      stage,
      async () => {
        await say('/dsh ask Why?');
        await gate.reached;
        await say('/dsh deploy to staging');
        await say('/dsh inside');
        await say('/dsh depoly');
        await until(() => told().length === 4);
        gate.open();
      },
      {},
      plugins,
    );
    expect(told()[1]).toMatch(/Deployed to staging of \S+ for @&#8203;everyone/);
    expect(told()[2]).toContain('Inside.');
    expect(told()[3]).toContain('There is no command `depoly`. Did you mean `/dsh deploy`?');
    expect(running.log).toBe('');

    const between = await viaApp(
      stage,
      async () => {
        await say('/dsh Deploy to production');
        await say('/dsh inside');
        await say('/dsh breaks');
        await say('/dsh deploy', 'rita');
      },
      {},
      plugins,
    );
    expect(told()[4]).toContain('Deployed to production of');
    expect(told()[5]).toContain('There is no command `inside`');
    expect(told()[6]).toContain('it broke');
    expect(told()[7]).toContain('That command needs write permission');
    expect(
      issueOf(stage, subject)
        .comments.filter(({ author }) => author.login === 'rita')
        .map(reactionsOn),
    ).toEqual([['dsh[bot] -1']]);
    expect(between.handled.map(({ status }) => status)).toEqual(['replied', 'replied', 'replied', 'refused']);
  });

  it('C9 help lists the commands of plugins, made inert, and one without a word to say gets a thumb up', async () => {
    const { id } = await say('nothing');
    let pinged = 0;
    stage.play([says('Because.')]);
    await viaApp(
      stage,
      async () => {
        await say('/dsh help');
        await say('/dsh ping');
        await say('/dsh ask Why?');
      },
      {},
      [deploy],
    );
    await viaApp(stage, async () => void (pinged = (await say('/dsh ping')).id), {}, [deploy]);

    expect(told()[0]).toContain('- `/dsh deploy <where>`: Deploys it for @&#8203;everyone.');
    expect(
      told()[0]!
        .split('\n')
        .filter((line) => line.startsWith('- `/dsh ping')),
    ).toEqual(['- `/dsh ping`: Says nothing.']);
    expect(told()[1]).toContain('There is no session here yet');
    expect(reactionsOn(commentOf(pinged))).toEqual(['dsh[bot] +1']);
    expect(reactionsOn(commentOf(id))).toEqual([]);
  });
});

describe('bot-fix', () => {
  it('F4 a failed check of our own branch starts a fix on the right of whoever asked, some times in a row', async () => {
    const broken = run("printf 'broken' > ci.txt");
    stage.play([MEND, submit(), broken, submit(), broken, submit()]);
    await viaApp(stage, () => say('/dsh fix'));
    const fail = () => {
      const { head } = pullsOf(stage, subject.repo)[0]!.pull!;
      const wrong = { name: 'CI', headSha: head.sha, headBranch: head.ref, conclusion: 'failure' };
      return stage.github.finishWorkflowRun(subject.repo, {
        ...wrong,
        jobs: [{ name: 'unit', log: 'expected hello\n' }],
      });
    };
    const first = await viaApp(stage, fail);
    expect(first.handled).toMatchObject([{ status: 'completed' }]);
    expect(JSON.stringify(stage.model.requests.at(-1)?.body)).toContain('expected hello');
    stage.play([run("printf 'still' > ci.txt"), submit()]);
    expect((await viaApp(stage, fail)).handled).toHaveLength(1);

    const before = asked();
    expect((await viaApp(stage, fail)).ignored).toContain('too-many-bot-turns');
    expect(asked()).toBe(before);
  });
});

describe('bot-security', () => {
  it('X8 what comes from an installation that is suspended by then is ignored', async () => {
    const run = await viaApp(stage, async () => {
      const said = say('/dsh help');
      stage.github.suspendInstallation('acme');
      await said;
    });
    stage.github.suspendInstallation('acme', false);

    expect(run.ignored).toContain('not-installed');
    expect([run.handled, run.log, told()]).toEqual([[], '', []]);
  });

  it('X12 a flood of commands is answered up to a limit, and that is said once, whatever worker they come to', async () => {
    const period = 10 * 60_000;
    const begins = period - (Date.now() % period);
    const now = () => new Date(Date.now() + begins);
    const first = await viaApp(
      stage,
      async () => {
        for (let i = 0; i < MAX_COMMANDS + 5; i++) await say('/dsh nonsense', 'rita');
        for (let i = 0; i < 2; i++) await say('/dsh help', 'rita');
      },
      {},
      [],
      { now },
    );
    const other = await viaApp(stage, () => say('/dsh help', 'rita'), {}, [], { now });

    expect(told()).toHaveLength(1);
    expect(told()[0]).toContain('not answered for some minutes');
    const tooMany = (why: string | undefined) => why === 'too-many-commands';
    expect([first.ignored.filter(tooMany).length, other.ignored]).toEqual([1, ['too-many-commands']]);
  });
});

describe('bot-human-loop', () => {
  it('S3 taking the app away ends what runs', async () => {
    const gate = held();
    const run = await viaApp(stage, async () => {
      await say('/dsh ask Why?');
      await gate.reached;
      stage.github.suspendInstallation('acme');
      await stage.github.settled();
      gate.open();
    });

    expect(run.handled.map(({ status, why }) => [status, why])).toContainEqual(['replied', 'suspended']);
    expect(run.handled.map(({ status }) => status)).toContain('stopped');
    stage.github.suspendInstallation('acme', false);
  });

  it('S1 what is said while the turn runs reaches the model, and then gets eyes', async () => {
    const gate = held(calls('bash', { command: 'true', description: 'Look' }), says('Postgres it is.'));
    await viaApp(stage, async () => {
      await say('/dsh ask Which database?');
      await gate.reached;
      await say('@dsh Think of Postgres, too.');
      await stage.github.settled();
      gate.open();
    });

    const word = issueOf(stage, subject).comments.find(({ body }) => body.startsWith('@dsh'));
    expect(JSON.stringify(stage.model.requests.at(-1)?.body)).toContain('Think of Postgres, too.');
    expect(reactionsOn(word!)).toEqual(['dsh[bot] eyes']);
    expect(told()).toHaveLength(1);
  });

  it('S1 what is said when nothing runs starts a turn of the last kind', async () => {
    stage.play([says('One.'), says('Two.')]);
    await viaApp(stage, () => say('/dsh ask How many?'));
    await viaApp(stage, () => say('/dsh say And then?'));

    expect(lastTold()).toContain('Two.');
  });

  it('S2 stop ends the running turn, by whoever started it, and status tells of it before', async () => {
    const gate = held();
    const run = await viaApp(stage, async () => {
      await say('/dsh ask Why?');
      await gate.reached;
      await say('/dsh status');
      await until(() => told().length === 2);
      await say('/dsh stop', 'rita');
      await say('/dsh stop');
      await until(() => told().some((body) => body.includes('Stopped.')));
      gate.open();
    });

    expect(told()[1]).toContain('Running: `ask`, asked by maria');
    expect(told()[0]).toContain('**Stopped**');
    expect(run.handled.map(({ status }) => status)).toContain('stopped');
    const refused = issueOf(stage, subject).comments.find(({ author }) => author.login === 'rita');
    expect(reactionsOn(refused!)).toEqual(['dsh[bot] -1']);
  });

  it('S2 stop ends what waits for its turn, too, says how many, and their comments keep no eyes', async () => {
    const before = asked();
    const gate = held();
    const queued: number[] = [];
    const run = await viaApp(stage, async () => {
      await say('/dsh ask One?');
      await gate.reached;
      for (const words of ['/dsh ask Two?', '/dsh fix Three!']) queued.push((await say(words)).id);
      await stage.github.settled();
      const seen = () => queued.every((id) => reactionsOn(commentOf(id)).includes('dsh[bot] eyes'));
      await until(seen);
      await say('/dsh stop');
      await until(() => told().some((body) => body.includes('Stopped.')));
      gate.open();
    });

    expect(lastTold()).toContain('2 commands that waited for their turn will not begin.');
    expect(run.ignored.filter((why) => why === 'withdrawn')).toHaveLength(2);
    expect(queued.map((id) => reactionsOn(commentOf(id)))).toEqual([[], []]);
    expect(told().filter((body) => /Two\?|Three!/.test(body))).toEqual([]);
    expect(asked() - before).toBe(1);
  });

  it('S2 what a stopped turn changed is kept, retry publishes it, and undo takes that back', async () => {
    const { promise: reached, resolve: reach } = Promise.withResolvers<void>();
    const { promise: opened, resolve: open } = Promise.withResolvers<void>();
    stage.play(async (_request, index) => {
      if (index === 0) return MEND;
      reach();
      await opened;
      return submit();
    });
    await viaApp(stage, async () => {
      await say('/dsh fix');
      await reached;
      await say('/dsh stop');
      await until(() => told().some((body) => body.includes('**Stopped**')));
      open();
    });
    expect(pullsOf(stage, subject.repo)).toEqual([]);

    stage.play([submit()]);
    await viaApp(stage, () => say('/dsh retry'));
    const [pull] = pullsOf(stage, subject.repo);
    const { ref } = pull!.pull!.head;
    expect(await gitOf(stage, subject.repo, 'show', `${ref}:greet.txt`)).toBe('hello world');

    await viaApp(stage, () => say('/dsh undo'));
    expect(pull?.state).toBe('closed');
    expect(await branchesOf(stage, subject.repo)).not.toContain(ref);
  });

  it.each([
    [
      'closing the issue',
      async () => stage.github.editIssue(subject.repo, subject.number, { by: 'maria', state: 'closed' }),
    ],
    [
      'deleting the comment',
      async () => {
        const { id } = issueOf(stage, subject).comments[0]!;
        await stage.github.deleteComment(subject.repo, id, { by: 'maria' });
      },
    ],
  ])('S3 %s ends the turn it started', async (_, end) => {
    const gate = held();
    const run = await viaApp(stage, async () => {
      await say('/dsh ask Why?');
      await gate.reached;
      await end();
      await until(() => lastTold().includes('**Stopped**'));
      gate.open();
    });

    expect(run.handled.map(({ status }) => status)).toContain('stopped');
  });

  it('S3 a turn that still waits for another one never begins when its comment is deleted', async () => {
    const gate = held(says('First.'));
    await viaApp(stage, async () => {
      await say('/dsh ask One?');
      await gate.reached;
      const second = await say('/dsh ask Two?');
      await stage.github.settled();
      await stage.github.deleteComment(subject.repo, second.id, { by: 'maria' });
      await stage.github.settled();
      gate.open();
    });

    expect(told().join('\n')).not.toContain('Two?');
  });
});

describe('goal', () => {
  it('G12 G14 a goal is worked at in rounds, and published when it is complete', async () => {
    stage.play((request, index) => {
      const text = JSON.stringify(request.messages);
      const { id, revision } = /\\"id\\":\\"([0-9a-f-]{36})\\"[^}]*?\\"revision\\":(\d+)/.exec(text)
        ? { id: RegExp.$1, revision: Number(RegExp.$2) }
        : { id: '', revision: 0 };
      if (index === 0) return says('Looked at it; the next round mends the word.');
      if (index === 1) return MEND;
      if (index === 2) return calls('update_goal', { id, revision, action: 'complete' });
      return submit();
    });

    const run = await viaApp(stage, () => say('/dsh goal sh check.sh passes'));

    expect(run.handled).toMatchObject([{ status: 'completed', outcome: { produced: { kind: 'pull-request' } } }]);
    expect(JSON.stringify(stage.model.requests.at(-1)?.body)).toContain('Round 1/8');
    const [pull, ...others] = pullsOf(stage, subject.repo);
    expect(others).toEqual([]);
    const goalChecks = repositoryOf(stage, subject.repo).checkRuns.filter(({ name }) => name === 'dsh goal');
    expect(goalChecks).toMatchObject([{ conclusion: 'success', suite: { headSha: pull!.pull!.head.sha } }]);
  });

  it('G14 rounds that are used up leave the goal blocked and publish nothing; the words of people change it between turns', async () => {
    await stage.github.push(subject.repo, {
      by: 'maria',
      branch: 'main',
      files: { '.github/dsh.yml': "goal: { maxRounds: 1 }\nverify: { commands: ['sh check.sh'] }\n" },
    });
    stage.play([says('Looked.'), says('Looked again.')]);
    const run = await viaApp(stage, () => say('/dsh goal all is well'));
    await viaApp(stage, async () => {
      await say('/dsh goal');
      await say('/dsh goal edit most is well');
      await say('/dsh goal edit 大部分都好');
      await say('/dsh goal clear');
      await say('/dsh goal');
    });

    expect(run.handled).toMatchObject([{ status: 'stopped', outcome: { problem: { code: 'GOAL_OPEN' } } }]);
    const [result, shown, edited, inChinese, cleared, none] = told();
    expect(result).toContain('round-limit');
    expect(shown).toContain('all is well');
    expect(edited).toContain('most is well');
    expect(inChinese).toMatch(/目标已更改。[^]*目标（受阻，第 1 轮，共 1 轮）：[^]*大部分都好/);
    expect(cleared).toContain('The goal is cleared.');
    expect(none).toContain('There is no goal');
    expect(pullsOf(stage, subject.repo)).toEqual([]);
  });
});
