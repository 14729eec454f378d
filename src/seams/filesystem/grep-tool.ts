import { toolSection } from '../bash/tool-section.ts';
import type { Context, Plugin } from '../../harness/kernel/context.ts';
import { defineTool } from '../../harness/tools/define-tool.ts';
import type { ToolDefinition, ToolExecution } from '../../harness/tools/types.ts';
import { invalidArgs } from './file-tool-args.ts';
import { hasRipgrep } from './has-ripgrep.ts';
import type { SearchToolConfig } from './has-ripgrep.ts';
import { groupMatches, parseMatches } from './grep-matches.ts';
import type { GrepMatch } from './grep-matches.ts';
import { runRipgrep, WITHOUT_VCS } from './run-ripgrep.ts';
import { SearchError } from './search-error.ts';
import { cappedPage } from './search-page.ts';

const MAX_MATCHES = 250;
const MAX_LINE_BYTES = 2000;

const DESCRIPTION = `Finds lines by a regular expression (Rust syntax, one line at a time) in the files of the work tree; files are found by name with glob.
- Ignored files and version control directories are left out unless path names them; hidden files are included.
- Returns the number of matches, then file by file \`Line N: text\`, ${MAX_MATCHES} matches at most and ${MAX_LINE_BYTES} bytes a line: with more, narrow the pattern, path or include.
- Answers \`No matches found\` when nothing matches; an invalid expression is an error that shows where.`;

const GUIDANCE = 'Search text with grep instead of reading file after file.';

interface GrepArgs {
  pattern: string;
  path?: string;
  include?: string;
}

export const grepTool: Plugin<SearchToolConfig | undefined> = {
  name: 'grep-tool',
  inject: ['tools', 'systemPrompt', 'bash'],
  async apply(ctx: Context, config = {}) {
    if (!(await hasRipgrep(ctx, config))) return;
    ctx.tools.register(defineGrep(ctx));
    toolSection(ctx, 'grep', 104, GUIDANCE);
  },
};

function defineGrep(ctx: Context): ToolDefinition {
  return defineTool({
    name: 'grep',
    description: DESCRIPTION,
    parameters: {
      pattern: { type: 'string', required: true, description: 'Regular expression.' },
      path: { type: 'string', description: 'File or directory to search. Default: the work tree.' },
      include: { type: 'string', description: 'One glob of the files to search, such as *.{ts,tsx}.' },
    },
    isConcurrencySafe: () => true,
    execute: async (args, exec) => [{ type: 'text', text: await grep(ctx, args, exec) }],
    presentCall: ({ pattern, path }) => ({
      card: 'generic',
      title: `grep ${pattern}${path ? ` in ${path}` : ''}`,
      kind: 'search',
    }),
  });
}

async function grep(ctx: Context, { pattern, path, include }: GrepArgs, exec: ToolExecution): Promise<string> {
  if (pattern === '') throw invalidArgs('pattern is empty — give a regular expression');
  const raw = await runRipgrep(ctx, exec, [
    ...['--line-number', '--with-filename', '--no-heading', '--null', '--sort=path', '--hidden', '--no-require-git'],
    ...[`--max-columns=${MAX_LINE_BYTES}`, '--max-columns-preview'],
    ...(include ? [`--glob=${oneGlob(include)}`] : []),
    ...WITHOUT_VCS,
    `--regexp=${pattern}`,
    '--',
    path || '.',
  ]);
  const matches = parseMatches(raw, MAX_LINE_BYTES);
  if (matches.length > 0) return matchPage(ctx, exec, matches);
  return raw === '' ? 'No matches found' : 'The file matches, but it is binary: its lines cannot be shown.';
}

/** A list or an exclusion would be read as one odd name and find nothing, so it is refused. */
function oneGlob(include: string): string {
  if (include.startsWith('!')) throw badInclude(include, 'only excludes');
  if (/[,\s]/.test(include.replace(/\{[^{}]*\}/g, ''))) throw badInclude(include, 'looks like a list');
  return include;
}

function badInclude(include: string, why: string): SearchError {
  return new SearchError(
    `include "${include}" ${why} — give one glob of what to search, with braces for several endings: *.{ts,tsx}`,
    'SEARCH_INVALID_PATTERN',
  );
}

async function matchPage(ctx: Context, exec: ToolExecution, matches: GrepMatch[]): Promise<string> {
  const heading = `Found ${matches.length} ${matches.length === 1 ? 'match' : 'matches'}`;
  const full = `${heading}\n${groupMatches(matches)}`;
  if (matches.length <= MAX_MATCHES) return full;
  return cappedPage(ctx, exec, {
    page: `${heading}\n${groupMatches(matches.slice(0, MAX_MATCHES))}`,
    full,
    what: `only the first ${MAX_MATCHES} of ${matches.length} matches, by path`,
    narrow: 'narrow pattern, path or include',
  });
}
