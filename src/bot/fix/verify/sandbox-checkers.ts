/** A program that reads a file's text from its standard input, and says where its first error is. None runs the text. */
export interface SandboxChecker {
  /** Ends with `NOT_HERE` where the program is missing. */
  readonly command: string;
  /** Of its output; without a line it is the last one. */
  readonly error: RegExp;
  readonly program: string;
  /** What the program gets in place of the text, with the same lines. */
  input?(text: string): string;
  /** Whether an error of this text means anything. */
  judges?(text: string): boolean;
}

export const NOT_HERE = 97;

/** The one for a path, by its ending; undefined where there is none. Pure. */
export function sandboxCheckerFor(path: string, text: string): SandboxChecker | undefined {
  return CHECKERS[path.slice(path.lastIndexOf('.') + 1).toLowerCase()]?.(text);
}

/** What the interpreter would take from the environment is code of somebody's choice. */
function checker(program: string, command: string, error: RegExp, more: Partial<SandboxChecker> = {}): SandboxChecker {
  const clean = 'env -u BASH_ENV -u NODE_OPTIONS -u RUBYOPT LC_ALL=C';
  return {
    program,
    command: `command -v ${program} >/dev/null || exit ${NOT_HERE}; ${clean} ${command}`,
    error,
    ...more,
  };
}

const LINE = /^line (?<line>\d+): (?<message>.*)$/m;
const python = (...lines: string[]) => checker('python3', `python3 -I -c '${lines.join('\n')}'`, LINE);

/** `perl -c` runs BEGIN blocks, so there is none for Perl. */
const PYTHON = python(
  'import ast, sys',
  'try:',
  '    ast.parse(sys.stdin.buffer.read())',
  'except SyntaxError as error:',
  '    print("line %d: %s" % (error.lineno or 1, error.msg))',
  '    sys.exit(1)',
);
const TOML = python(
  'import re, sys',
  'try:',
  '    import tomllib',
  'except ImportError:',
  `    sys.exit(${NOT_HERE})`,
  'text = sys.stdin.buffer.read().decode()',
  'try:',
  '    tomllib.loads(text)',
  'except tomllib.TOMLDecodeError as error:',
  '    at = re.search(r"at line (\\d+)", str(error))',
  '    print("line %s: %s" % (at[1] if at else len(text.splitlines()), error))',
  '    sys.exit(1)',
);
const XML = python(
  'import sys, xml.parsers.expat as expat',
  'try:',
  '    expat.ParserCreate().ParseFile(sys.stdin.buffer)',
  'except expat.ExpatError as error:',
  '    print("line %d: %s" % (error.lineno, expat.errors.messages[error.code]))',
  '    sys.exit(1)',
);
/** A `.js` without imports may be a module all the same: what only one may say is no error. */
const node = (type: 'commonjs' | 'module') =>
  checker(
    'node',
    `node --input-type=${type} --check -`,
    /^\[stdin\]:(?<line>\d+)$[\s\S]*?^SyntaxError: (?!await is only|Cannot use 'import\.meta'|Unexpected reserved word)(?<message>.*)$/m,
    { judges: (text) => !OTHER_SYNTAX.test(text) },
  );
const BASH = checker('bash', 'bash -n', /^bash:(?: line (?<line>\d+):)? (?<message>.*)$/m);

/** Elements, type annotations and decorators: a dialect that Node cannot read. */
const OTHER_SYNTAX = /<\/[A-Za-z>]|\/>|@flow\b|^\s*@[A-Za-z_$]/m;
const MODULE = /^\s*(?:import\b[^(]|export\b)/m;
const SHELL = /^#!.*\b(?:bash|sh|dash)\b|^(?!#!)/;

/** Ruby takes options from that line, and `-r` among them runs a file of the tree. */
function withoutInterpreter(text: string): string {
  return text.replace(/^\uFEFF?#!.*/, '#');
}

const CHECKERS: Readonly<Record<string, ((text: string) => SandboxChecker | undefined) | undefined>> = {
  ...{ py: () => PYTHON, pyi: () => PYTHON, toml: () => TOML, xml: () => XML, svg: () => XML },
  mjs: () => node('module'),
  cjs: () => node('commonjs'),
  js: (text) => node(MODULE.test(text) ? 'module' : 'commonjs'),
  sh: (text) => (SHELL.test(text) ? BASH : undefined),
  bash: () => BASH,
  rb: () =>
    checker('ruby', 'ruby -c -', /^-:(?<line>\d+): (?!warning:)(?<message>.*)$/m, { input: withoutInterpreter }),
  php: () => checker('php', 'php -n -l', /(?:Parse|Fatal) error: +(?<message>.*) in .* on line (?<line>\d+)/),
  go: () => checker('gofmt', 'gofmt -e >/dev/null', /^<standard input>:(?<line>\d+):\d+: (?<message>.*)$/m),
};
