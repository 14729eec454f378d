import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { calls, callsAll, hangs, says } from '../../support/scripted-model.ts';
import type { ScriptedReply } from '../../support/scripted-model.ts';
import { ReviewStage, finding } from '../support/review-stage.ts';
import { RoleModel, refuter, textOf } from '../support/role-model.ts';

const report = (...found: object[]) => callsAll(...found.map((one): [string, object] => ['report_finding', one]));
const named = (title: string, more = {}) => finding({ title, ...more });

let stage: ReviewStage;
beforeAll(async () => {
  stage = await ReviewStage.start({ 'src/price.js': 'export const price = 1;\n', 'src/sum.js': 'a\nb\nc\n' });
});
afterAll(() => stage.bench.close());

const files = (...rows: string[]) => ({ 'src/price.js': `export const price = -1;\n${rows.join('\n')}\n` });
const ask = (script: ScriptedReply[], answer: (task: string, step: number) => ScriptedReply, config = {}) =>
  stage.review({
    model: new RoleModel(script, { refuter: answer }),
    config,
    commands: { 'node check.js': { stdout: 'it fails' } },
  });

describe('bot-review', () => {
  it('R7 PR49 what a fresh child refutes with a line that is there is not told, now and on later heads', async () => {
    await stage.openPull(files());

    const { roles } = await ask([report(named('Right'), named('Wrong')), says('Two.')], (task) =>
      task.includes('title: Wrong')
        ? refuter('refuted', 'src/sum.js:2 checks it.')
        : refuter('confirmed', 'src/price.js:1'),
    );
    await stage.push({ ...files(), 'src/sum.js': 'a\nb\nc\nd\n' });
    const again = await ask([report(named('Wrong')), says('Nothing new.')], () =>
      refuter('confirmed', 'src/price.js:1'),
    );

    expect(roles.byRole.refuter).toHaveLength(2);
    expect(again.roles.byRole.refuter).toHaveLength(0);
    expect(stage.threads.map(({ comments }) => comments[0]!.body.split('\n')[0])).toEqual(['**major: Right**']);
  });

  it('R6 an open finding that a push mended without touching its lines is fixed, once a fresh look proves it', async () => {
    const guarded = 'export const price = -1;\nexport const paid = Math.max(0, price);\n';
    await stage.openPull({ 'src/price.js': 'export const price = -1;\nexport const paid = price;\n' });
    const sums = { title: 'Negative sums', startLine: 1, endLine: 1 };
    await ask([report(named('Negative sums', sums)), says('One.')], () => refuter('confirmed', 'src/price.js:1'));

    const pushed = await stage.push({ 'src/price.js': guarded });
    const { roles } = await ask([says('Guarded.')], () => refuter('refuted', 'src/price.js:2 keeps it at 0.'));

    expect(roles.byRole.refuter).toHaveLength(1);
    expect(textOf(roles.byRole.refuter[0]!)).toContain('title: Negative sums');
    expect(stage.threads[0]!.resolvedBy?.login).toBe('dsh[bot]');
    expect(stage.threads[0]!.comments[1]!.body).toBe(`Fixed by ${pushed}.`);
  });

  it('R6 an open finding of a file that was not pushed to is not looked at again', async () => {
    await stage.openPull({ 'src/price.js': 'export const price = -1;\n' });
    await ask([report(named('Negative')), says('One.')], () => refuter('confirmed', 'src/price.js:1'));
    await stage.push({ 'src/sum.js': 'a\nb\nc\ne\n' });

    const { roles } = await ask([says('Nothing new.')], () => refuter('refuted', 'src/price.js:1'));

    expect(roles.byRole.refuter).toEqual([]);
    expect(stage.threads[0]!.resolvedBy).toBeNull();
  });

  it('R7 nothing of the children is left, and nothing is posted, when the review is stopped while they look', async () => {
    await stage.openPull({
      'src/price.js': `${Array.from({ length: 6 }, (_, at) => `export const p${at} = -${at + 1};`).join('\n')}\n`,
    });
    const claims = Array.from({ length: 6 }, (_, at) =>
      named(`Negative ${at}`, { startLine: at + 1, endLine: at + 1 }),
    );
    const stopping = new AbortController();
    let looking = 0;
    const model = new RoleModel([report(...claims), says('Six.')], {
      refuter: () => ({
        ...hangs(),
        before: () => {
          if ((looking += 1) === 1) setTimeout(() => stopping.abort(), 200);
        },
      }),
    });

    const { outcome, events } = await stage.review({ model, signal: stopping.signal });
    const asked = model.requests.length;
    await new Promise((resolve) => setTimeout(resolve, 200));

    expect(outcome.status).toBe('stopped');
    expect(stage.pull.reviews).toEqual([]);
    expect(model.requests).toHaveLength(asked);
    const countOf = (type: string) => events.filter((event) => event.type === type).length;
    expect(countOf('subagent/ended')).toBe(countOf('subagent/started'));
  });

  it('R7 a second look that fails takes nothing away', async () => {
    await stage.openPull(files());

    await ask([report(named('Kept')), says('One.')], () => ({ ...says('I would rather not.') }));

    expect(stage.threads).toHaveLength(1);
    expect(stage.bodies[0]).toContain('1 of 1 findings had no second look.');
  });
});

describe('prompts', () => {
  it('PR49 a refutation without a proof that resolves is a doubt: it costs 0.15 and may fall below the limit', async () => {
    await stage.openPull(files());
    const claims = [named('Sure', { confidence: 0.85 }), named('Doubtful', { confidence: 0.6 })];

    const { outcome } = await ask([report(...claims), says('Two.')], () =>
      refuter('refuted', 'src/nowhere.js:1 and `ls`'),
    );

    const { findings } = outcome.produced as unknown as {
      findings: { finding: { title: string; confidence: number } }[];
    };
    expect(findings.map(({ finding: one }) => [one.title, one.confidence])).toEqual([['Sure', 0.7]]);
    expect(stage.bodies[0]).not.toContain('Doubtful');
  });

  it('PR49 what the child ran and saw lifts to 0.9', async () => {
    await stage.openPull(files());

    const { outcome, roles } = await ask([report(named('Seen')), says('One.')], (_task, step) =>
      step === 0
        ? calls('bash', { command: 'node check.js', description: 'run it' })
        : refuter('confirmed', '`node check.js` printed: it fails'),
    );

    expect(outcome.produced).toMatchObject({ findings: [{ finding: { confidence: 0.9 } }] });
    expect(roles.byRole.refuter[0]!.tools!.map(({ name }) => name)).toEqual([
      'read',
      'grep',
      'glob',
      'bash',
      'structured_output',
    ]);
  });

  it('PR49 the child knows claim, scenario, lines and hunk, and nothing of the finder’s reasons, severity or confidence', async () => {
    await stage.openPull(files());

    const { roles } = await ask(
      [report(named('Claimed', { body: 'SECRET REASON', severity: 'minor', confidence: 0.77 })), says('One.')],
      () => refuter('unclear', 'none'),
    );

    const task = textOf(roles.byRole.refuter[0]!);
    expect(task).toContain('title: Claimed');
    expect(task).toContain('With price = -1 the sum of any order is below 0.');
    expect(task).toContain('R1 + export const price = -1;');
    expect(task).not.toMatch(/SECRET REASON|minor|0\.77|is exported and summed/);
    expect(roles.byRole.refuter[0]!.system).toContain('about as often as they are wrong');
  });

  it('PR49 PR50 looks at the 20 most severe above nit, four at once, the first one ahead of the others', async () => {
    await stage.openPull(files(...Array.from({ length: 24 }, (_, at) => `const value${at} = ${at} / 0;`)));
    const claims = Array.from({ length: 24 }, (_, at) =>
      named(`Claim ${at}`, { startLine: at + 2, endLine: at + 2, severity: at < 22 ? 'minor' : 'major' }),
    );
    let [now, most, done] = [0, 0, 0];
    const together: number[] = [];

    const { roles } = await stage.review({
      model: new RoleModel([report(...claims), says('Many.')], {
        refuter: () => ({
          ...refuter('confirmed', 'src/price.js:1'),
          before: async () => {
            now += 1;
            most = Math.max(most, now);
            await new Promise((resolve) => setTimeout(resolve, 20));
            if (done === 0) together.push(now);
            done += 1;
            now -= 1;
          },
        }),
      }),
    });

    const tasks = roles.byRole.refuter.map(textOf);
    expect(tasks).toHaveLength(20);
    expect(tasks.filter((task) => /title: Claim 2[23]\b/.test(task))).toHaveLength(2);
    expect(most).toBe(4);
    expect(together).toEqual([1]);
    expect(stage.bodies[0]).toContain('4 of 24 findings had no second look.');
  });

  it('PR49 a child has 12 steps', async () => {
    await stage.openPull(files());

    const { roles } = await ask([report(named('Long')), says('One.')], () => calls('grep', { pattern: 'x' }));

    expect(roles.byRole.refuter).toHaveLength(12);
    expect(stage.threads).toHaveLength(1);
  });

  it('PR42 a proof that quotes a command nobody ran counts as a trace, and only what ran or was traced whole may block', async () => {
    await stage.openPull(files('const b = 1;', 'const c = 2;'));
    const claims = [
      named('Never ran', {
        evidence: 'ran',
        confidence: 0.95,
        proof: '`node check.js` printed -1',
        severity: 'blocker',
      }),
      named('Traced', {
        startLine: 2,
        endLine: 2,
        severity: 'blocker',
        confidence: 0.99,
        proof: 'src/price.js:1 goes to src/sum.js:2',
      }),
      named('Ran', {
        startLine: 3,
        endLine: 3,
        evidence: 'ran',
        confidence: 0.95,
        severity: 'blocker',
        proof: '`node check.js` printed -1',
      }),
    ];

    const told = async (script: ScriptedReply[]) => {
      const { outcome } = await ask(script, () => refuter('confirmed', 'src/price.js:1'));
      const { findings } = outcome.produced as unknown as {
        findings: { finding: { title: string; confidence: number; severity: string } }[];
      };
      return findings.map(({ finding: one }) => [one.title, one.severity, one.confidence]).sort();
    };

    expect(await told([report(...claims.slice(0, 2)), says('Two.')])).toEqual([
      ['Never ran', 'major', 0.85],
      ['Traced', 'blocker', 0.85],
    ]);
    await stage.push({ 'src/sum.js': 'z\n' });
    const ran = calls('bash', { command: 'node check.js', description: 'run it' });
    expect(await told([ran, report(claims[2]!), says('One.')])).toEqual([['Ran', 'blocker', 0.95]]);
  });
});
