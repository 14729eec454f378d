import type { DiffFile } from '../../github/diff/types.ts';
import { isTestPath } from '../fix/verify/changed-tests.ts';
import { marksConflict } from '../fix/conflict-markers.ts';

export interface InspectedChange {
  readonly files: readonly DiffFile[];
  /** Existing tests, and what defines the test command, that the change touches. */
  readonly changedTests: readonly string[];
  /** All that was asked: what it names needs no word. */
  readonly request: string;
}

/** What a careful reader would ask about before a change is published (PR53). Pure. */
export function inspectChange({ files, changedTests, request }: InspectedChange): string[] {
  const named = (file: DiffFile) => request.includes(file.path) || request.includes(nameOf(file.path));
  const where = (fits: (file: DiffFile) => boolean) => files.filter(fits).map(({ path }) => path);
  return [
    ...told(
      'scratch or backup files',
      where((file) => file.status === 'added' && SCRATCH.test(file.path)),
    ),
    ...told(
      'conflict markers',
      where((file) => marksConflict(addedText(file))),
    ),
    ...told('tests that existed are changed or removed', changedTests),
    ...told(
      'tests are skipped or narrowed',
      where((file) => isTestPath(file.path) && SKIPPED.test(addedText(file))),
    ),
    ...told(
      'debug output',
      where((file) => !isTestPath(file.path) && DEBUG.test(addedText(file))),
    ),
    ...told(
      'files that the request does not name',
      where((file) => UNASKED.test(file.path) && !named(file)),
    ),
  ];
}

const SCRATCH =
  /\.(?:orig|rej|bak|swp|tmp|log|patch|diff|pyc)$|~$|(?:^|\/)(?:__pycache__|\.pytest_cache|\.cache|coverage)\/|(?:^|\/)(?:scratch|tmp|temp|debug|repro(?:duce)?|try(?:out)?)[^/]*$/i;
const SKIPPED =
  /\b(?:it|test|describe|context)\.(?:skip|only|todo)\b|\bx(?:it|describe|test)\(|@(?:pytest\.mark\.(?:skip|xfail)|unittest\.skip|Disabled|Ignore)\b|\bt\.Skip\(|#\[ignore\]|\bpytest\.skip\(/;
const DEBUG =
  /\bconsole\.(?:log|debug|trace)\(|\bdebugger\b|\bdbg!\(|\bbreakpoint\(\)|\bpdb\.set_trace\(|\bbinding\.pry\b|\bvar_dump\(|\bpprint\(/;
const UNASKED =
  /(?:^|\/)(?:package-lock\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.yaml|bun\.lock|Cargo\.lock|poetry\.lock|uv\.lock|Gemfile\.lock|composer\.lock|go\.sum|CHANGELOG[^/]*|HISTORY[^/]*|VERSION)$|^\.(?:github|circleci|gitlab)\/|(?:^|\/)\.(?:eslintrc|prettierrc|editorconfig|gitignore|gitattributes|npmrc)[^/]*$|(?:^|\/)(?:dist|build|out|vendor|node_modules)\//i;

const SHOWN_PATHS = 10;

function told(what: string, paths: readonly string[]): string[] {
  if (paths.length === 0) return [];
  const more = paths.length > SHOWN_PATHS ? ` and ${paths.length - SHOWN_PATHS} more` : '';
  return [`${what}: ${paths.slice(0, SHOWN_PATHS).join(', ')}${more}`];
}

function addedText({ hunks }: DiffFile): string {
  return hunks.flatMap(({ lines }) => lines.flatMap(({ kind, text }) => (kind === 'add' ? [text] : []))).join('\n');
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
