import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Profile } from '../../../src/bot/limits/profile.ts';
import { mergeConfig } from '../../../src/config/merge-config.ts';
import type { Checkout } from '../../../src/github/git/checkout.ts';
import { mountSkills, mountSkillTool } from '../../../src/room/mount-skills.ts';
import { GitFixture } from '../../github/support/git-fixture.ts';
import { bench, eventsOf, text } from '../../harness/agent/agent-bench.ts';
import { calls, says } from '../../support/scripted-model.ts';

let fixture: GitFixture;
let folder: string;
beforeEach(() => {
  fixture = new GitFixture();
  folder = mkdtempSync(join(tmpdir(), 'dsh-mounted-skills-'));
});
afterEach(() => {
  fixture.close();
  rmSync(folder, { recursive: true, force: true });
});

const skill = (name: string, body = 'do it') => `---\nname: ${name}\ndescription: about ${name}\n---\n${body}\n`;
const spillDir = () => join(folder, 'spill');

async function session(
  checkout: Checkout,
  { load, profile = 'trusted', dirs = [] }: { load?: string; profile?: Profile; dirs?: string[] } = {},
) {
  mkdirSync(spillDir(), { recursive: true });
  const b = await bench([...(load === undefined ? [] : [calls('skill', { name: load })]), says('ok')]);
  const config = mergeConfig({ skills: { dirs } });
  const warnings: string[] = [];
  b.ctx.on('kernel/error', (error) => void warnings.push((error as Error).message));
  await mountSkills(b.ctx, { profile, checkout, config }, { cwd: '/workspace', spillDir: spillDir() });
  await mountSkillTool(b.ctx, { checkout }, { cwd: '/workspace' });
  const { agent } = await b.create({ meta: { cwd: '/workspace' } });
  agent.send(text('go'));
  await agent.whenIdle();
  const [result] = eventsOf(agent.session, 'tool/result').map(({ data }) => data);
  const loaded = result?.content.map((block) => ('text' in block ? block.text : '')).join('') ?? '';
  const [, path = ''] = /relative to the folder (\S+)\./.exec(loaded) ?? [];
  return { ...b, warnings, request: b.model.requests[0]!, loaded, base: path.replace('/dsh/spill', spillDir()), path };
}
const namesIn = (messages: unknown) =>
  [...JSON.stringify(messages).matchAll(/- ([a-z-]+): about/g)].map(([, name]) => name);

describe('skills', () => {
  it('N1 a skill of the base commit is loaded with its files where the container sees them, read-only and as they were', async () => {
    fixture.commit({
      '.dsh/skills/release/SKILL.md': skill('release', 'Run tag.sh'),
      '.dsh/skills/release/tag.sh': { script: 'echo tag\n' },
      '.agents/skills/notes.md': skill('notes'),
    });

    const { request, loaded, path, base } = await session(await fixture.open(), { load: 'release' });

    expect(namesIn(request.messages)).toEqual(['notes', 'release']);
    expect(request.tools!.map(({ name }) => name)).toEqual(['skill']);
    expect(request.system).toContain('belong to the repository instructions');
    expect(loaded).toContain('Run tag.sh');
    expect(path).toMatch(/^\/dsh\/spill\/skills\/[0-9a-f]{12}\/[0-9a-f]{12}$/);
    expect(readFileSync(join(base, 'tag.sh'), 'utf8')).toContain('echo tag');
    expect(statSync(join(base, 'tag.sh')).mode & 0o777).toBe(0o755);
    expect(statSync(base).mode & 0o777).toBe(0o755);
  });

  it('N1 the head of a pull request brings no skill and changes none; nor does what the sandbox wrote', async () => {
    fixture.commit({ '.dsh/skills/a.md': skill('a', 'base text') });
    fixture.git('checkout', '--quiet', '--detach');
    const head = fixture.commit({ '.dsh/skills/a.md': skill('a', 'evil'), '.dsh/skills/b.md': skill('b') });
    fixture.git('update-ref', 'refs/pull/12/head', head);
    fixture.git('checkout', '--quiet', 'main');
    const checkout = await fixture.open({ kind: 'pull', number: 12, baseBranch: 'main', headSha: head });
    writeFileSync(join(checkout.workTree, '.dsh/skills/c.md'), skill('c'));

    const { request, loaded } = await session(checkout, { load: 'a' });

    expect(namesIn(request.messages)).toEqual(['a']);
    expect(loaded).toContain('base text');
    expect(loaded).not.toContain('evil');
  });

  it('N1 work that goes on on our own branch is instructed by the branch it goes into', async () => {
    const base = fixture.commit({ '.dsh/skills/a.md': skill('a') });
    fixture.git('checkout', '--quiet', '-b', 'dsh/issue-1');
    const own = fixture.commit({ '.dsh/skills/b.md': skill('b') });
    fixture.git('checkout', '--quiet', 'main');

    const target = { kind: 'branch' as const, branch: 'dsh/issue-1', sha: own, baseBranch: 'main' };
    const checkout = await fixture.open(target);

    expect(checkout).toMatchObject({ headSha: own, baseSha: base });
    expect(namesIn((await session(checkout)).request.messages)).toEqual(['a']);
  });

  it('N1 links are followed within the commit, and not out of it', async () => {
    writeFileSync(join(folder, 'outside.md'), skill('outside'));
    fixture.commit({
      'shared/style/SKILL.md': skill('style', 'the style'),
      '.agents/skills/style': { link: '../../shared/style' },
      '.agents/skills/outside.md': { link: join(folder, 'outside.md') },
    });

    const { request, loaded, base } = await session(await fixture.open(), { load: 'style' });

    expect(namesIn(request.messages)).toEqual(['style']);
    expect(loaded).toContain('the style');
    expect(readFileSync(join(base, 'SKILL.md'), 'utf8')).toContain('the style');
  });

  it('N1 without a skill there is neither tool nor catalogue', async () => {
    fixture.commit({ 'a.txt': 'a\n' });

    const { request } = await session(await fixture.open());

    expect(request.tools ?? []).toEqual([]);
    expect(request.messages).toHaveLength(1);
    expect(request.system).not.toContain('skill');
  });

  it('N2 folders of the operator hold for every repository; one that is gone takes only its own along', async () => {
    fixture.commit({ '.dsh/skills/own/SKILL.md': skill('own'), '.dsh/skills/both.md': skill('both', 'repository') });
    mkdirSync(join(folder, 'org/house'), { recursive: true });
    writeFileSync(join(folder, 'org/house/SKILL.md'), skill('house', 'house text'));
    writeFileSync(join(folder, 'org/house/rules.txt'), 'rules', { mode: 0o600 });
    writeFileSync(join(folder, 'org/both.md'), skill('both', 'operator'));
    symlinkSync(join(folder, 'org/house/rules.txt'), join(folder, 'org/house/again.txt'));
    const checkout = await fixture.open();

    const trusted = await session(checkout, { load: 'house', dirs: [join(folder, 'org')] });
    expect(namesIn(trusted.request.messages)).toEqual(['both', 'house', 'own']);
    expect(trusted.loaded).toContain('house text');
    for (const file of ['rules.txt', 'again.txt']) {
      expect(readFileSync(join(trusted.base, file), 'utf8')).toBe('rules');
      expect(statSync(join(trusted.base, file)).mode & 0o777).toBe(0o644);
    }
    expect((await session(checkout, { load: 'both', dirs: [join(folder, 'org')] })).loaded).toContain('repository');
    const gone = await session(checkout, { dirs: [join(folder, 'none'), join(folder, 'org')] });
    expect(namesIn(gone.request.messages)).toEqual(['both', 'house', 'own']);
    expect(gone.warnings).toContainEqual(expect.stringContaining(`no skill folder ${join(folder, 'none')}`));
  });

  it('N3 a session that nobody vouches for has the skills of the operator alone', async () => {
    fixture.commit({ '.dsh/skills/own.md': skill('own'), '.dsh/skills/house.md': skill('house', 'taken over') });
    mkdirSync(join(folder, 'org'));
    writeFileSync(join(folder, 'org/house.md'), skill('house', 'house text'));

    const { request, loaded } = await session(await fixture.open(), {
      ...{ load: 'house', profile: 'untrusted', dirs: [join(folder, 'org')] },
    });

    expect(namesIn(request.messages)).toEqual(['house']);
    expect(loaded).toContain('house text');
  });
});
