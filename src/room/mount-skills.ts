import { createHash } from 'node:crypto';
import { access } from 'node:fs/promises';
import { dirname, join, posix } from 'node:path';
import { CommitFiles } from '../bot/context/commit-files.ts';
import { filesBelow } from '../bot/context/files-below.ts';
import { layOutFolder } from '../bot/context/lay-out-folder.ts';
import type { RoomOptions } from '../bot/job/room.ts';
import { SPILL_FOLDER } from '../docker/container-options.ts';
import type { Context } from '../harness/kernel/context.ts';
import { directorySkills } from '../seams/skills/directory-skills.ts';
import { customRoot, mustBeThere, projectRootsAt } from '../seams/skills/local-skills.ts';
import { hostSkillFiles } from '../seams/skills/skill-files.ts';
import { skills } from '../seams/skills/skill-service.ts';
import { skillTool } from '../seams/skills/skill-tool.ts';
import type { SkillCandidate, SkillProvider } from '../seams/skills/types.ts';

/** Folder of laid out skills below what the container sees read-only. */
const SKILLS = 'skills';

interface SkillPlace {
  /** The path of the work tree in the container. */
  readonly cwd: string;
  /** What the container sees at `SPILL_FOLDER`, read-only. */
  readonly spillDir: string;
}

/**
 * Skills of the repository at its base commit, and of the operator's folders (X6). A session that nobody vouches for has
 * only the operator's.
 */
export async function mountSkills(
  root: Context,
  { profile, checkout, config }: Pick<RoomOptions, 'profile' | 'checkout' | 'config'>,
  { cwd, spillDir }: SkillPlace,
): Promise<void> {
  const warn = (error: unknown) => root.notify('kernel/error', error, 'skills');
  await root.plugin(skills, undefined);
  if (profile === 'trusted') root.skills.registerProvider(repositorySkills(checkout, { cwd, spillDir }, warn));
  if (config.skills.dirs.length > 0) {
    const folders = await foldersThere(config.skills.dirs, warn);
    root.skills.registerProvider(operatorSkills(folders, { cwd, spillDir }, warn));
  }
}

/** Once all who bring skills are there: without any skill there is no tool for them. */
export async function mountSkillTool(
  root: Context,
  { checkout }: Pick<RoomOptions, 'checkout'>,
  { cwd }: Pick<SkillPlace, 'cwd'>,
): Promise<void> {
  const workspace = checkout.baseSha;
  const listed = await root.skills.list({ cwd, workspace });
  if (listed.length > 0) await root.plugin(skillTool, { workspace });
}

function repositorySkills(
  { gitDir, baseSha }: RoomOptions['checkout'],
  { spillDir }: SkillPlace,
  warn: (error: unknown) => void,
): SkillProvider {
  const files = new CommitFiles({ gitDir, sha: baseSha });
  const found = directorySkills({
    name: 'repository',
    files: () => files,
    roots: async () => projectRootsAt(''),
    warn,
  });
  return withFiles(found, async (folder) => {
    const key = join(SKILLS, baseSha.slice(0, 12), keyOf(folder));
    // A commit does not change.
    if (!(await isThere(join(spillDir, key)))) await layOutFolder(join(spillDir, key), files.below(folder));
    return key;
  });
}

function operatorSkills(
  folders: readonly string[],
  { spillDir }: SkillPlace,
  warn: (error: unknown) => void,
): SkillProvider {
  const roots = folders.map(customRoot);
  const found = directorySkills({ name: 'operator', files: () => hostSkillFiles, roots: async () => roots, warn });
  return withFiles(found, async (folder) => {
    const key = join(SKILLS, 'operator', keyOf(folder));
    await layOutFolder(join(spillDir, key), filesBelow(folder));
    return key;
  });
}

/** A skill that is loaded has its files where the container can read them, and names that place. */
function withFiles(provider: SkillProvider, layOut: (folder: string) => Promise<string>): SkillProvider {
  return {
    ...provider,
    get: async (candidate, options) => {
      const skill = await provider.get(candidate, options);
      if (!skill) return undefined;
      const key = await layOut(folderOf(candidate));
      return { ...skill, resourceBase: { kind: 'directory', path: posix.join(SPILL_FOLDER, key) } };
    },
  };
}

function folderOf({ locator }: SkillCandidate): string {
  return dirname(locator as string);
}

function keyOf(folder: string): string {
  return createHash('sha256').update(folder).digest('hex').slice(0, 12);
}

/** All were there when the process started. One that is gone since takes its own skills along, and no session. */
async function foldersThere(folders: readonly string[], warn: (error: unknown) => void): Promise<string[]> {
  const there: string[] = [];
  for (const folder of folders) {
    try {
      await mustBeThere(hostSkillFiles, [folder]);
      there.push(folder);
    } catch (error) {
      warn(error);
    }
  }
  return there;
}

async function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
