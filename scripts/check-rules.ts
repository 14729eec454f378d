import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');

/** One or more ids at the start of a line or of a test's title, such as `S7`, `- S7 S8`, `**S7**:`. */
const IDS = /^(?:[-*] )?(?:\*\*)?((?:[A-Z]{1,3}\d{1,3}(?:\*\*)?[,:.]?\s+)+)/;

interface Rule {
  readonly seam: string;
  readonly id: string;
}

/** Every rule of `docs/spec/<seam>.md`. Rules on prompts stand beside the tools they are about, and belong to `prompts`. */
function documentedRules(): Rule[] {
  return globSync('docs/spec/*.md', { cwd: ROOT }).flatMap((file) => {
    const ids = readFileSync(join(ROOT, file), 'utf8').split('\n').flatMap(idsOf);
    const seam = basename(file, '.md');
    return withoutPitfalls([...new Set(ids)]).map((id) => ({ seam: id.startsWith('PR') ? 'prompts' : seam, id }));
  });
}

/** Where a file has both `B` and `N` rules, its `P` lines are pitfalls: why, not what. */
function withoutPitfalls(ids: readonly string[]): string[] {
  const hasPitfalls = ids.some((id) => /^B\d/.test(id)) && ids.some((id) => /^N\d/.test(id));
  return ids.filter((id) => !(hasPitfalls && /^P\d/.test(id)));
}

/** `seam id` for each id that the title of a test begins with, under the seam's `describe` that stands last before it. */
function shownRules(): Set<string> {
  const seams = new Set(globSync('docs/spec/*.md', { cwd: ROOT }).map((file) => basename(file, '.md')));
  const shown = new Set<string>();
  for (const file of globSync('{test,examples}/**/*.ts', { cwd: ROOT })) {
    let seam = '';
    for (const [, describe, title] of readFileSync(join(ROOT, file), 'utf8').matchAll(DESCRIBE_OR_TITLE)) {
      if (describe !== undefined && seams.has(describe)) seam = describe;
      for (const id of idsOf(`${title ?? ''} `)) shown.add(`${seam} ${id}`);
    }
  }
  return shown;
}

/** A title stands right behind `it(` or `test(`, or behind the table of an `.each(…)`. */
const DESCRIBE_OR_TITLE = /\bdescribe\(\s*['"`]([a-z-]+)['"`]|(?:\b(?:it|test)\(|\)\()\s*['"`]([^'"`\n]+)/g;

function idsOf(line: string): string[] {
  return IDS.exec(line)?.[1]?.match(/[A-Z]{1,3}\d{1,3}/g) ?? [];
}

const shown = shownRules();
const uncovered = documentedRules().filter(({ seam, id }) => !shown.has(`${seam} ${id}`));
for (const { seam, id } of uncovered) console.error(`no test shows ${seam} ${id}`);
if (uncovered.length > 0) process.exitCode = 1;
