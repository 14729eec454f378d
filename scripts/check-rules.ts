import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');

/** A rule is a line of `docs/spec/<seam>.md` that begins with an id, such as `- S7 …`, `S7 …` or `- **S7**: …`. */
const RULE = /^(?:[-*] )?(?:\*\*)?([A-Z]{1,3}\d{1,3})(?:\*\*)?[:. ]/;

/** Lists the rules of `docs/spec` that no test shows: `describe('<seam>')`, and the id among those its title begins with. */
function uncoveredRules(): string[] {
  const shown = shownRules();
  return globSync('docs/spec/*.md', { cwd: ROOT }).flatMap((file) => {
    const seam = basename(file, '.md');
    return rulesOf(join(ROOT, file)).filter((id) => !shown.has(`${seam} ${id}`)).map((id) => `${seam} ${id}`);
  });
}

/** Where a file has both `B` and `N` rules, its `P` lines are pitfalls: why, not what. */
function rulesOf(file: string): string[] {
  const ids = readFileSync(file, 'utf8').split('\n').flatMap((line) => RULE.exec(line)?.[1] ?? []);
  const hasPitfalls = ids.some((id) => /^B\d/.test(id)) && ids.some((id) => /^N\d/.test(id));
  return [...new Set(ids)].filter((id) => !(hasPitfalls && /^P\d/.test(id)));
}

function shownRules(): Set<string> {
  const shown = new Set<string>();
  for (const file of globSync('{test,examples}/**/*.ts', { cwd: ROOT })) {
    const text = readFileSync(join(ROOT, file), 'utf8');
    const seams = [...text.matchAll(/describe\(\s*['"`]([a-z-]+)['"`]/g)].map((match) => match[1]);
    for (const title of text.matchAll(/\b(?:it|test)(?:\.each[^'"`]*?\)?)?\(\s*['"`]([^'"`]+)/g)) {
      for (const id of idsOf(title[1] ?? '')) for (const seam of seams) shown.add(`${seam} ${id}`);
    }
    for (const title of text.matchAll(/\)\(\s*\n?\s*['"`]([^'"`]+)/g)) {
      for (const id of idsOf(title[1] ?? '')) for (const seam of seams) shown.add(`${seam} ${id}`);
    }
  }
  return shown;
}

function idsOf(title: string): string[] {
  return /^(?:[A-Z]{1,3}\d{1,3}[,\s]+)+/.exec(`${title} `)?.[0].match(/[A-Z]{1,3}\d{1,3}/g) ?? [];
}

const uncovered = uncoveredRules();
for (const rule of uncovered) console.error(`no test shows ${rule}`);
if (uncovered.length > 0) process.exitCode = 1;
