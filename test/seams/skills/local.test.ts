import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Context } from '../../../src/harness/kernel/context.ts';
import { localSkills } from '../../../src/seams/skills/local-skills.ts';
import type { LocalSkillsConfig } from '../../../src/seams/skills/local-skills.ts';
import { parseSkillFile } from '../../../src/seams/skills/parse-skill-file.ts';
import { skills } from '../../../src/seams/skills/skill-service.ts';
import { MemoryFileSystem } from '../../support/memory-file-system.ts';
import { codeOf } from '../../harness/session/session-fixture.ts';

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'dsh-skills-'));
});
afterEach(() => rm(root, { recursive: true, force: true }));

const skill = (name: string, body = 'do it') => `---\nname: ${name}\ndescription: about ${name}\n---\n\n${body}\n`;

async function write(files: Record<string, string>): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
}

async function world(config: LocalSkillsConfig = {}, prepare: (ctx: Context) => void = () => {}) {
  const ctx = new Context();
  const warnings: string[] = [];
  ctx.on('kernel/error', (error) => void warnings.push((error as Error).message));
  prepare(ctx);
  await ctx.plugin(skills, undefined);
  const homes = { dshHome: join(root, 'home/.dsh'), agentsHome: join(root, 'home/.agents') };
  await ctx.plugin(localSkills, { ...homes, ...config });
  return { ctx, skills: ctx.skills, warnings };
}

describe('skills', () => {
  it('K13 project roots are those of the nearest folder with .git, else of the folder itself', async () => {
    await write({
      'repo/.git/HEAD': '',
      'repo/.dsh/skills/a.md': skill('from-repo'),
      'loose/deep/.dsh/skills/a.md': skill('from-loose'),
    });
    const w = await world();
    const names = async (cwd?: string) =>
      (await w.skills.list({ ...(cwd !== undefined && { cwd: join(root, cwd) }) })).map(({ name }) => name);

    expect(await names('repo/src/deep')).toEqual(['from-repo']);
    expect(await names('loose/deep')).toEqual(['from-loose']);
    expect(await names('loose')).toEqual([]);
    expect(await names()).toEqual([]);
  });

  it('K14 all roots in their ranks, one level deep; the name is that of the frontmatter', async () => {
    await write({
      'repo/.git/HEAD': '',
      'repo/.dsh/skills/one/SKILL.md': skill('same', 'project-dsh'),
      'repo/.agents/skills/any-name.md': skill('agents'),
      'repo/.agents/skills/same.md': skill('same', 'project-agents'),
      'repo/.agents/skills/deep/er/SKILL.md': skill('too-deep'),
      'repo/.agents/skills/notes.txt': 'no skill',
      'custom/c.md': skill('custom'),
      'home/.dsh/skills/u/SKILL.md': skill('user-dsh'),
      'home/.dsh/skills/.system/SKILL.md': skill('system'),
      'home/.agents/skills/v.md': skill('user-agents'),
    });
    const w = await world({ customSkillDirs: [join(root, 'custom')] });

    const listed = await w.skills.list({ cwd: join(root, 'repo') });

    expect(listed.map(({ name, source }) => [name, source])).toEqual([
      ['agents', 'project-agents'],
      ['custom', 'custom'],
      ['same', 'project-dsh'],
      ['user-agents', 'user-agents'],
      ['user-dsh', 'user-dsh'],
    ]);
    expect(await w.skills.get('same', { cwd: join(root, 'repo') })).toMatchObject({
      content: 'project-dsh',
      resourceBase: { kind: 'directory', path: join(root, 'repo/.dsh/skills/one') },
    });
  });

  it('K14 links are followed; a broken one warns', async () => {
    await write({
      'real/SKILL.md': skill('linked-folder'),
      'file.txt': skill('linked-file'),
      'repo/.dsh/skills/x.md': skill('x'),
    });
    await symlink(join(root, 'real'), join(root, 'repo/.dsh/skills/folder'));
    await symlink(join(root, 'file.txt'), join(root, 'repo/.dsh/skills/file.md'));
    await symlink(join(root, 'nowhere'), join(root, 'repo/.dsh/skills/broken'));
    const w = await world();

    const listed = await w.skills.list({ cwd: join(root, 'repo') });

    expect(listed.map(({ name }) => name)).toEqual(['linked-file', 'linked-folder', 'x']);
    expect(w.warnings).toEqual([expect.stringMatching(/broken was skipped: .*leads nowhere/)]);
  });

  it('K15 frontmatter stands between two lines of exactly ---', () => {
    const text =
      '---\r\nname: a\r\ndescription: "one --- two"\r\nwhenToUse: on Mondays\r\ndisableModelInvocation: true\r\nmetadata: { level: 3 }\r\nextra: 1\r\n---\r\n\r\nBody\n---\nmore\r\n';

    expect(parseSkillFile(text)).toEqual({
      ...{ name: 'a', description: 'one --- two', whenToUse: 'on Mondays', disableModelInvocation: true },
      ...{ metadata: { level: 3 }, content: 'Body\n---\nmore' },
    });
  });

  it.each([
    ['no frontmatter', 'name: a'],
    ['a first line with more than ---', '--- \nname: a\ndescription: b\n---\n'],
    ['no closing line', '---\nname: a\ndescription: b\n ---\n'],
    ['no mapping', '---\n- a\n---\n'],
    ['broken YAML', '---\nname: [\n---\n'],
    ['no name', '---\ndescription: b\n---\n'],
    ['a name that is none', '---\nname: A b\ndescription: b\n---\n'],
    ['an empty description', '---\nname: a\ndescription: ""\n---\n'],
    ['a policy that is no boolean', '---\nname: a\ndescription: b\ndisableModelInvocation: "true"\n---\n'],
    ['metadata that is no mapping', '---\nname: a\ndescription: b\nmetadata: 3\n---\n'],
  ])('K15 K16 refuses %s', (_, text) => {
    expect(codeOf(() => parseSkillFile(text))).toBe('SKILL_FILE');
  });

  it('K16 a broken file warns and hides none of its neighbours; missing roots are as usual', async () => {
    await write({
      'repo/.dsh/skills/a.md': 'nothing',
      'repo/.dsh/skills/b.md': skill('b'),
      'repo/.dsh/skills/empty/x': '',
    });
    const w = await world();

    expect((await w.skills.list({ cwd: join(root, 'repo') })).map(({ name }) => name)).toEqual(['b']);
    expect(w.warnings).toEqual([expect.stringMatching(/a\.md was skipped: not a skill/)]);
  });

  it('K16 a folder that configuration names must be there', async () => {
    await expect(world({ customSkillDirs: [join(root, 'missing')] })).rejects.toMatchObject({
      code: 'SKILL_DIR_MISSING',
    });
  });

  it('K17 where a filesystem service is mounted, nothing is read past it, and it gets the signal', async () => {
    await write({ 'repo/.dsh/skills/host.md': skill('of-the-host') });
    const cwd = join(root, 'repo');
    const fs = new MemoryFileSystem({
      [join(cwd, '.git/HEAD')]: '',
      [join(cwd, '.dsh/skills/service/SKILL.md')]: skill('of-the-service', 'inside'),
    });
    const signals: unknown[] = [];
    const readText = fs.readText.bind(fs);
    fs.readText = (target, signal) => (signals.push(signal), readText(target, signal));
    const w = await world({}, (ctx) => void ctx.provide('fs', fs));
    const { signal } = new AbortController();

    expect((await w.skills.list({ cwd: join(cwd, 'src') })).map(({ name }) => name)).toEqual(['of-the-service']);
    expect(await w.skills.get('of-the-service', { cwd: join(cwd, 'src'), signal })).toMatchObject({
      content: 'inside',
    });
    expect(signals.at(-1)).toBe(signal);
  });

  it('K18 a skill that went away after it was listed is undefined', async () => {
    await write({ 'repo/.dsh/skills/a.md': skill('a') });
    const w = await world();
    await w.skills.list({ cwd: join(root, 'repo') });

    await rm(join(root, 'repo/.dsh/skills/a.md'));

    expect(await w.skills.get('a', { cwd: join(root, 'repo') })).toBeUndefined();
  });
});
