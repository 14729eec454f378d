import { toolSection } from '../bash/tool-section.ts';
import type { Context, Plugin } from '../../harness/kernel/context.ts';
import { defineTool } from '../../harness/tools/define-tool.ts';
import type { ToolDefinition, ToolExecution } from '../../harness/tools/types.ts';
import { invalidArgs } from './file-tool-args.ts';
import { hasRipgrep } from './has-ripgrep.ts';
import type { SearchToolConfig } from './has-ripgrep.ts';
import { printablePath } from './printable-path.ts';
import { runRipgrep, WITHOUT_VCS } from './run-ripgrep.ts';
import { SearchError } from './search-error.ts';
import { cappedPage } from './search-page.ts';

const MAX_FILES = 100;

const DESCRIPTION = `Finds files by the pattern of their path, such as \`**/*.test.ts\` or \`src/{api,db}/**\`; text inside files is found with grep.
- A pattern without a slash matches at any depth. Hidden and ignored files are included, version control directories are not.
- Returns paths relative to the work tree, the most recently changed first, ${MAX_FILES} at most: with more, narrow the pattern or the path.
- Answers \`No files found\` when nothing matches.`;

const GUIDANCE = 'Find files with glob before you guess a path.';

interface GlobArgs {
  pattern: string;
  path?: string;
}

export const globTool: Plugin<SearchToolConfig | undefined> = {
  name: 'glob-tool',
  inject: ['tools', 'systemPrompt', 'bash'],
  async apply(ctx: Context, config = {}) {
    if (!(await hasRipgrep(ctx, config))) return;
    ctx.tools.register(defineGlob(ctx));
    toolSection(ctx, 'glob', 103, GUIDANCE);
  },
};

function defineGlob(ctx: Context): ToolDefinition {
  return defineTool({
    name: 'glob',
    description: DESCRIPTION,
    parameters: {
      pattern: { type: 'string', required: true, description: 'Pattern of the path.' },
      path: { type: 'string', description: 'Directory to look in. Default: the work tree.' },
    },
    isConcurrencySafe: () => true,
    execute: async (args, exec) => [{ type: 'text', text: await glob(ctx, args, exec) }],
    presentCall: ({ pattern, path }) => ({
      card: 'generic',
      title: `glob ${pattern}${path ? ` in ${path}` : ''}`,
      kind: 'search',
    }),
  });
}

async function glob(ctx: Context, { pattern, path = '' }: GlobArgs, exec: ToolExecution): Promise<string> {
  if (pattern.trim() === '') throw invalidArgs('pattern is blank — give a pattern such as **/*.ts');
  if (pattern.startsWith('!')) {
    throw new SearchError(`"${pattern}" only excludes — give a pattern of what to find`, 'SEARCH_INVALID_PATTERN');
  }
  const words = [
    '--files',
    '--null',
    '--hidden',
    '--no-ignore',
    '--sortr=modified',
    `--glob=${pattern}`,
    ...WITHOUT_VCS,
  ];
  const raw = await runRipgrep(ctx, exec, [...words, '--', '.'], path);
  const files = raw
    .split('\0')
    .filter((file) => file !== '')
    .map((file) => printablePath(placed(file, path)));
  return files.length === 0 ? 'No files found' : filePage(ctx, exec, files);
}

/** From the searched directory back to the work tree. */
function placed(file: string, directory: string): string {
  const inside = file.replace(/^\.\//, '');
  const prefix = directory.replace(/\/+$/, '').replace(/^(?:\.\/)+|^\.$/, '');
  return prefix === '' && !directory.startsWith('/') ? inside : `${prefix}/${inside}`;
}

async function filePage(ctx: Context, exec: ToolExecution, files: string[]): Promise<string> {
  const full = files.join('\n');
  if (files.length <= MAX_FILES) return full;
  return cappedPage(ctx, exec, {
    page: files.slice(0, MAX_FILES).join('\n'),
    full,
    what: `only the ${MAX_FILES} most recently changed of ${files.length} files; other places may be missing`,
    narrow: 'narrow pattern or path',
  });
}
