import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { callsAll, says } from '../support/scripted-model.ts';
import { NAME } from './support/job-bench.ts';
import { ReviewStage, finding, automatically } from './support/review-stage.ts';
import { RoleModel, refuter, textOf } from './support/role-model.ts';
const report = (...found: object[]) => callsAll(...found.map((one): [string, object] => ['report_finding', one]));
const at = (path: string, line: number, title: string, more = {}) =>
  finding({ path, startLine: line, endLine: line, title, evidence: 'ran', proof: '`node x` showed 1', ...more } as never);
const conf = (script: any[]) => new RoleModel(script, { refuter: () => refuter('confirmed', 'src/a.js:1') });
const body30 = (n = 30) => Array.from({ length: n }, (_, i) => `const q${i} = ${i};`).join('\n');
let stage: ReviewStage;
beforeAll(async () => {
  stage = await ReviewStage.start({ 'src/a.js': body30() + '\n', 'gone.js': 'g1\ng2\ng3\n', 'old.js': body30(), 'crlf.js': 'one\r\ntwo\r\nthree\r\n', 'bin.dat': 'a\0b' });
});
afterAll(() => stage.bench.close());
const show = (x: unknown) => process.stderr.write(JSON.stringify(x, null, 1) + '\n');
const told = () => stage.threads.map((t: any) => [t.path, t.side, t.startLine, t.line, t.comments[0]!.body.split('\n')[0], t.resolvedBy?.login]);
describe('hunt', () => {
  it('paths', async () => {
    const names = ['new\nline.js', 'quo"te.js', 'back`tick.js', 'a|b.js', '<!-- x -->.js', '日本.js', ' lead.js', 'sp ace/[id].js'];
    const head = await stage.openPull(Object.fromEntries(names.map((n, i) => [n, `export const v${i} = 1 / 0;\n`])));
    const r = await stage.review({ model: conf([report(...names.map((n, i) => at(n, 1, `T${i} here`))), says('V')]), read: automatically(head) });
    show({ paths: r.outcome.status, p: (r.outcome as any).problem, told: told(), table: stage.bodies[0]!.slice(0, 1200), ann: stage.checks().map((c: any) => [c.conclusion, c.annotations?.map((a: any) => a.path)]) });
    await stage.push(Object.fromEntries(names.map((n, i) => [n, `// m\nexport const v${i} = 1 / 0;\n`])));
    const r2 = await stage.review({ model: conf([report(...names.map((n, i) => at(n, 2, `T${i} here`))), says('V')]) });
    show({ again: told().length, b: stage.bodies[1]!.slice(0, 600) });
    await stage.push(Object.fromEntries(names.map((n, i) => [n, `// m\nexport const v${i} = 1;\n`])));
    await stage.review({ model: conf([says('V')]) });
    show({ fixed: told().map((x) => x[5]) });
  }, 60000);
  it('kinds', async () => {
    await stage.openPull({ 'gone.js': null, 'old.js': null, 'neu.js': body30().replace('q3 = 3', 'q3 = 1/0') , 'crlf.js': 'one\r\nTWO\r\nthree\r\n', 'bin.dat': 'a\0c', 'nonl.js': 'x = 1' });
    const f = [at('gone.js', 2, 'Del file', { side: 'LEFT' }), at('gone.js', 2, 'Del right'), at('old.js', 4, 'On old name'), at('neu.js', 4, 'On new name'), at('crlf.js', 2, 'crlf', { code: 'TWO', suggestion: 'two' }), at('bin.dat', 1, 'bin'), at('nonl.js', 1, 'nonl', { code: 'x = 1', suggestion: 'x = 2' }), at('nowhere.js', 7, 'nowhere'), at('src/a.js', 3, 'unchanged file')];
    const r = await stage.review({ model: conf([report(...f), says('V')]) });
    show({ kinds: r.outcome.status, told: told(), sug: stage.threads.map((t: any) => /```suggestion\n.*\n```/.exec(t.comments[0].body)?.[0]), body: stage.bodies[0] });
    await stage.push({ 'other.txt': 'z\n' });
    await stage.review({ model: conf([report(...f), says('V')]) });
    show({ kinds2: told().length, body: stage.bodies[1]!.slice(0, 1500) });
  }, 60000);
  it('graphql down, thread deleted, closed', async () => {
    await stage.openPull({ 'src/a.js': body30() + '\nconst z1 = 1/0;\nconst z2 = 2/0;\n' });
    await stage.review({ model: conf([report(at('src/a.js', 31, 'One Z'), at('src/a.js', 32, 'Two Z')), says('V')]) });
    stage.pull.threads = stage.pull.threads.slice(0, 1);
    await stage.push({ 'src/a.js': '// \n' + body30() + '\nconst z1 = 1/0;\nconst z2 = 2/0;\n' });
    const server: any = stage.bench.github;
    server.faults.inject({ match: { path: /graphql/ }, status: 502, times: 99 });
    const r = await stage.review({ model: conf([report(at('src/a.js', 32, 'One Z'), at('src/a.js', 33, 'Two Z')), says('V')]) });
    show({ gql: r.outcome.status, told: told(), b: stage.bodies[1] });
    server.faults.clear?.();
    await stage.push({ 'src/a.js': '// \n//\n' + body30() + '\nconst z1 = 1/0;\nconst z2 = 2/0;\n' });
    const r3 = await stage.review({ model: conf([report(at('src/a.js', 33, 'One Z'), at('src/a.js', 34, 'Two Z')), { ...says('V'), before: async () => { await server.editIssue(NAME, stage.number, { by: 'tom', state: 'closed' }); } }]) });
    show({ closed: r3.outcome.status, p: (r3.outcome as any).problem, told: told(), b: stage.bodies[2] });
  }, 60000);
});
