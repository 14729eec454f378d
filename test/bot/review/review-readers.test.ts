import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { REVIEW_RUBRIC } from '../../../src/bot/prompts/review-rubric.ts';
import { SANDBOX_READ_ONLY } from '../../../src/bot/prompts/sandbox.ts';
import { TRUST } from '../../../src/bot/prompts/trust.ts';
import { groupFiles } from '../../../src/bot/review/group-files.ts';
import { parseGitDiff } from '../../../src/github/diff/parse-git-diff.ts';
import { callsAll, calls, says } from '../../support/scripted-model.ts';
import { ReviewStage, finding } from '../support/review-stage.ts';
import { RoleModel, textOf } from '../support/role-model.ts';

/** 20,000 lines in 80 files: five readers' worth. */
const MANY = Object.fromEntries(
  Array.from({ length: 80 }, (_, n) => [
    `src/part${String(n).padStart(2, '0')}.js`,
    `${Array.from({ length: 250 }, (__, at) => `export const value_${n}_${at} = compute(${n}, ${at});`).join('\n')}\n`,
  ]),
);
const read = (findings: object[], summary = 'It computes.') => calls('structured_output', { findings, summary });
const firstPath = (task: string) => /=== (\S+) added/.exec(task)?.[1] ?? '';

let stage: ReviewStage;
beforeAll(async () => {
  stage = await ReviewStage.start({ 'src/price.js': 'export const price = 1;\n' });
});
afterAll(() => stage.bench.close());

describe('bot-review', () => {
  it('R8 20,000 lines are parted among readers; each reports its own, and the review says who read what', async () => {
    await stage.openPull(MANY);
    const model = new RoleModel([says('The change adds many values.'), says('All of it computes.')], {
      reader: (task) => {
        const path = firstPath(task);
        return read([finding({ path, startLine: 7, endLine: 7, title: `Wrong in ${path}`, proof: `${path}:7` })]);
      },
    });

    const { outcome } = await stage.review({ model });

    const readers = model.byRole.reader.map(textOf);
    const shown = [textOf(model.byRole.reviewer[0]!), ...readers].map((task) =>
      [...task.matchAll(/^=== (\S+)/gm)].map(([, path]) => path),
    );
    expect(readers.length).toBeGreaterThanOrEqual(4);
    expect(shown.flat().sort()).toEqual(Object.keys(MANY).sort());
    expect(
      readers.every(
        (task) => task.includes('The change adds many values.') && task.includes('src/part79.js added +250 -0'),
      ),
    ).toBe(true);
    const { findings } = outcome.produced as unknown as { findings: unknown[] };
    expect(findings).toHaveLength(readers.length);
    expect(stage.threads).toHaveLength(readers.length);
    for (const path of Object.keys(MANY)) expect(stage.bodies[0]).toContain(path);
    expect(stage.bodies[0]).toContain('All of it computes.');
    expect(stage.bodies[0]).toMatch(/- reader 2 read: src\/part/);
  }, 120_000);

  it('R8 the first reader gives the verdict on what the others say, which is told as a note of the host', async () => {
    const model = new RoleModel([says('Part one.'), says('Verdict.')], { reader: () => read([], 'SUMMARY of a part') });

    await stage.push({
      'src/part00.js': 'export const changed = 1;\n',
      ...Object.fromEntries(
        Object.entries(MANY)
          .slice(1)
          .map(([path, text]) => [path, `// again\n${text.replaceAll('compute', 'derive')}`]),
      ),
    });
    await stage.review({ model });

    const last = textOf(model.byRole.reviewer[1]!);
    expect(last.slice(last.lastIndexOf('<host-note>'))).toMatch(
      /^<host-note>\n[\s\S]*Reader 2: SUMMARY of a part[\s\S]*<\/host-note>/,
    );
  }, 120_000);

  it('R8 what a reader did not come to an end with is said to be unreviewed', async () => {
    await stage.openPull(MANY);
    const model = new RoleModel([says('Part one.'), says('Verdict.')], {
      reader: (task) => (task.includes('src/part79.js added\n@@') ? says('I give up.') : read([])),
    });

    await stage.review({ model });

    expect(stage.bodies[0]).toMatch(/came to no end, so nobody reviewed: [^\n]*src\/part79\.js/);
  }, 120_000);

  it('R8 parts keep files whole as far as one fits, hunks always, and data and security paths come first', () => {
    const diff = (path: string, hunks: number) =>
      [
        `diff --git a/${path} b/${path}`,
        '--- a/x',
        `+++ b/${path}`,
        ...Array.from({ length: hunks }, (_, n) => `@@ -${n * 10 + 1} +${n * 10 + 1} @@\n-old\n+${'n'.repeat(300)}`),
      ].join('\n');
    const files = parseGitDiff(
      ['docs/a.md', 'src/b.js', 'src/auth/c.js', 'src/big.js']
        .map((path) => diff(path, path === 'src/big.js' ? 9 : 1))
        .join('\n'),
    );

    const { groups, unread } = groupFiles(files, { maxChars: 1_200, maxGroups: 4 });

    const paths = groups.map((group) => group.files.map(({ path, hunks }) => `${path} ${hunks.length}`));
    expect(paths[0]![0]).toBe('src/auth/c.js 1');
    expect(paths.flat().filter((one) => one.startsWith('src/big.js')).length).toBeGreaterThan(2);
    const hunks = [...groups.flatMap((group) => group.files), ...unread]
      .filter(({ path }) => path === 'src/big.js')
      .flatMap((file) => file.hunks);
    expect(hunks).toHaveLength(9);
    expect(unread.at(-1)?.path ?? paths.at(-1)!.at(-1)).toContain('docs/a.md');
  });
});

describe('prompts', () => {
  it('PR48 independent readers see the files in another order; what two found at the same code is one finding, a little more certain', async () => {
    await stage.openPull({ 'src/price.js': 'export const price = -1;\n', 'src/a.js': 'a\n', 'src/b.js': 'b\n' });
    const model = new RoleModel(
      [calls('report_finding', finding({ confidence: 0.7 })), says('One.'), says('Verdict.')],
      {
        reader: () =>
          read([
            finding({ confidence: 0.72, title: 'A negative price, in other words', severity: 'blocker' }),
            finding({ path: 'src/a.js', title: 'Only here', proof: 'src/a.js:1' }),
          ]),
      },
    );

    const { outcome } = await stage.review({ model, config: { review: { passes: 2 } } });

    const [first, second] = [model.byRole.reviewer[0]!, model.byRole.reader[0]!].map((one) =>
      [...textOf(one).matchAll(/^=== (\S+)/gm)].map(([, path]) => path),
    );
    expect(second).not.toEqual(first);
    expect(second!.toSorted()).toEqual(first!.toSorted());
    const { findings } = outcome.produced as unknown as {
      findings: { finding: { title: string; confidence: number } }[];
    };
    expect(findings.map(({ finding: one }) => one.title)).toEqual(['The price is negative', 'Only here']);
    expect(findings.map(({ finding: one }) => one.confidence)).toEqual([0.67, 0.65]);
  });

  it('PR47 files that were not opened are named from the log', async () => {
    await stage.openPull({ 'src/price.js': 'export const price = -2;\n', 'src/a.js': 'a\n' });

    await stage.review({ script: [callsAll(['read', { file_path: 'src/a.js' }]), says('Fine, I read everything.')] });

    expect(stage.bodies[0]).toContain('Read in the diff, the file itself was not opened: src/price.js.');
  });

  it('PR45 a group reader has the sections of a review, its files and the shared summary, and no tool that reports or writes', async () => {
    await stage.openPull(MANY);
    const model = new RoleModel([says('It adds values.'), says('Fine.')], { reader: () => read([]) });

    await stage.review({ model });

    const [request] = model.byRole.reader;
    for (const section of [REVIEW_RUBRIC, TRUST, SANDBOX_READ_ONLY]) expect(request!.system).toContain(section);
    expect(request!.tools!.map(({ name }) => name)).toEqual(['read', 'grep', 'glob', 'bash', 'structured_output']);
    expect(textOf(request!)).toContain('It adds values.');
  }, 120_000);
});
