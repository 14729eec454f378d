import { dirname, join } from 'node:path';
import { errorChain, HarnessError } from '../../harness/llm/errors.ts';
import { parseSkillFile } from './parse-skill-file.ts';
import type { SkillFile } from './parse-skill-file.ts';
import type { SkillFileEntry, SkillFiles } from './skill-files.ts';
import type { SkillCandidate, SkillDefinition, SkillLookupOptions, SkillProvider, SkillSource } from './types.ts';

export interface SkillRoot {
  readonly rank: number;
  readonly source: SkillSource;
  readonly path: string;
  /** Names in it that hold no skills of this source. */
  readonly skip?: readonly string[];
}

export interface DirectorySkillsParts {
  readonly name: string;
  /** Asked at each look-up. */
  files(): SkillFiles;
  roots(options: SkillLookupOptions): Promise<readonly SkillRoot[]>;
  warn(error: unknown): void;
}

/** Skills as files, one level deep: `<root>/<folder>/SKILL.md` or `<root>/<file>.md`. */
export function directorySkills(parts: DirectorySkillsParts): SkillProvider {
  return {
    name: parts.name,
    list: async (options) => {
      const roots = await parts.roots(options);
      return (await Promise.all(roots.map((root) => candidatesIn(root, options, parts)))).flat();
    },
    get: (candidate, options) => load(candidate, options, parts),
  };
}

async function candidatesIn(
  root: SkillRoot,
  { signal }: SkillLookupOptions,
  parts: DirectorySkillsParts,
): Promise<SkillCandidate[]> {
  const files = parts.files();
  const found: SkillCandidate[] = [];
  for (const entry of await entriesOf(root, files, signal, parts)) {
    const path = pathOf(root, entry);
    if (path === undefined || root.skip?.includes(entry.name)) continue;
    try {
      if (entry.type === 'broken') throw new HarnessError('a link that leads nowhere', 'SKILL_FILE');
      const text = await files.read(path, signal);
      // A folder without the file is no skill, and no mistake.
      if (text !== undefined) found.push(candidateOf(parseSkillFile(text), { path, root, provider: parts.name }));
    } catch (error) {
      signal?.throwIfAborted();
      parts.warn(new HarnessError(`${path} was skipped: ${errorChain(error)}`, 'SKILL_FILE', { cause: error }));
    }
  }
  return found;
}

/** A root that is not there has no skills; one that cannot be read has none today. */
async function entriesOf(
  root: SkillRoot,
  files: SkillFiles,
  signal: AbortSignal | undefined,
  { warn }: DirectorySkillsParts,
): Promise<readonly SkillFileEntry[]> {
  try {
    return (await files.list(root.path, signal)) ?? [];
  } catch (error) {
    signal?.throwIfAborted();
    warn(new HarnessError(`${root.path} was skipped: ${errorChain(error)}`, 'SKILL_FILE', { cause: error }));
    return [];
  }
}

function pathOf(root: SkillRoot, { name, type }: SkillFileEntry): string | undefined {
  if (type === 'directory') return join(root.path, name, 'SKILL.md');
  return type !== 'other' && (type === 'broken' || name.endsWith('.md')) ? join(root.path, name) : undefined;
}

function candidateOf(
  { content: _content, ...skill }: SkillFile,
  { path, root, provider }: { path: string; root: SkillRoot; provider: string },
): SkillCandidate {
  const { rank, source } = root;
  return { ...skill, rank, source, provider, path, locator: path, resourceBase: baseOf(path) };
}

function baseOf(path: string) {
  return { kind: 'directory' as const, path: dirname(path) };
}

/** Read again: what is there now counts, and it may be gone. */
async function load(
  { source, provider, locator }: SkillCandidate,
  { signal }: SkillLookupOptions,
  parts: DirectorySkillsParts,
): Promise<SkillDefinition | undefined> {
  const path = locator as string;
  const text = await parts.files().read(path, signal);
  return text === undefined
    ? undefined
    : { ...parseSkillFile(text), source, provider, path, resourceBase: baseOf(path) };
}
