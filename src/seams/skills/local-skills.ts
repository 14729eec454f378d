import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Context, Plugin } from '../../harness/kernel/context.ts';
import { HarnessError } from '../../harness/llm/errors.ts';
import { directorySkills } from './directory-skills.ts';
import type { SkillRoot } from './directory-skills.ts';
import { hostSkillFiles, serviceSkillFiles } from './skill-files.ts';
import type { SkillFiles } from './skill-files.ts';
import '../filesystem/file-system.ts';
import './skill-service.ts';

export interface LocalSkillsConfig {
  /** Default: `$DSH_HOME` of `variables`, or `.dsh` in the user's home. */
  dshHome?: string;
  /** Default: `$DSH_AGENTS_HOME` of `variables`, or `.agents` in the user's home. */
  agentsHome?: string;
  /** Each must be there. */
  customSkillDirs?: readonly string[];
  variables?: Readonly<Record<string, string | undefined>>;
}

/** Registers the provider `local`: skills of the project, of the operator and of the user, in folders. */
export const localSkills: Plugin<LocalSkillsConfig | undefined> = {
  name: 'skills-local',
  inject: ['skills'],
  async apply(ctx: Context, config = {}) {
    const files = () => filesOf(ctx);
    const { customSkillDirs = [] } = config;
    await mustBeThere(files(), customSkillDirs);
    const fixed = [...customSkillDirs.map(customRoot), ...userRoots(config)];
    ctx.skills.registerProvider(
      directorySkills({
        name: 'local',
        files,
        roots: async ({ cwd, signal }) => [...(await projectRoots(files(), cwd, signal)), ...fixed],
        warn: (error) => ctx.notify('kernel/error', error, 'skills-local'),
      }),
    );
  },
};

/** Never the disk of this machine where the session has files of its own. */
function filesOf(ctx: Context): SkillFiles {
  const fs = ctx.get('fs');
  return fs ? serviceSkillFiles(fs) : hostSkillFiles;
}

/** A root that was named and is not there would look like one without skills. Throws `SKILL_DIR_MISSING`. */
export async function mustBeThere(files: SkillFiles, folders: readonly string[]): Promise<void> {
  for (const folder of folders) {
    if ((await files.list(folder)) === undefined)
      throw new HarnessError(`there is no skill folder ${folder}`, 'SKILL_DIR_MISSING');
  }
}

export function customRoot(path: string): SkillRoot {
  return { rank: 300, source: 'custom', path };
}

/** Below one folder: what a project brings. */
export function projectRootsAt(root: string): SkillRoot[] {
  return [
    { rank: 100, source: 'project-dsh', path: join(root, '.dsh', 'skills') },
    { rank: 200, source: 'project-agents', path: join(root, '.agents', 'skills') },
  ];
}

function userRoots({ dshHome, agentsHome, variables = {} }: LocalSkillsConfig): SkillRoot[] {
  const dsh = dshHome ?? variables['DSH_HOME'] ?? join(homedir(), '.dsh');
  const agents = agentsHome ?? variables['DSH_AGENTS_HOME'] ?? join(homedir(), '.agents');
  return [
    { rank: 400, source: 'user-dsh', path: join(dsh, 'skills'), skip: ['.system'] },
    { rank: 500, source: 'user-agents', path: join(agents, 'skills') },
  ];
}

/** The project is the nearest folder above that holds `.git`, else the folder itself. */
async function projectRoots(files: SkillFiles, cwd: string | undefined, signal: AbortSignal | undefined) {
  if (cwd === undefined) return [];
  for (let folder = cwd; ; folder = dirname(folder)) {
    if (await files.exists(join(folder, '.git'), signal)) return projectRootsAt(folder);
    if (folder === dirname(folder)) return projectRootsAt(cwd);
  }
}
