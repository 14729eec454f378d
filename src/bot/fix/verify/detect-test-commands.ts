/** The files that tell how a repository is tested; all stand at its root. */
export const MANIFESTS = [
  'package.json',
  'Makefile',
  'pyproject.toml',
  'pytest.ini',
  'setup.cfg',
  'tox.ini',
  'go.mod',
  'Cargo.toml',
] as const;
export type Manifest = (typeof MANIFESTS)[number];
export type Manifests = Readonly<Partial<Record<Manifest, string>>>;

/** The repository's own test commands, read off its manifests at the base commit (F2). None found: empty. Pure. */
export function detectTestCommands(manifests: Manifests): string[] {
  const found = DETECTORS.map((detect) => detect(manifests)).find((command) => command !== undefined);
  return found ? [found] : [];
}

const DETECTORS: readonly ((manifests: Manifests) => string | undefined)[] = [
  (m) => (hasNpmTest(m['package.json']) ? 'npm test' : undefined),
  (m) => (MAKE_TEST_RULE.test(m.Makefile ?? '') ? 'make test' : undefined),
  (m) => (usesPytest(m) ? 'python3 -m pytest' : undefined),
  (m) => (m['go.mod'] === undefined ? undefined : 'go test ./...'),
  (m) => (m['Cargo.toml'] === undefined ? undefined : 'cargo test'),
];

/** A rule whose targets hold `test`; `test := x` is a variable. */
const MAKE_TEST_RULE = /^(?:[^\s:=#]+[ \t]+)*test(?:[ \t]+[^\s:=#]+)*[ \t]*::?(?![:=])/m;

function hasNpmTest(text: string | undefined): boolean {
  const script = npmTestScript(text);
  return script !== undefined && script.trim() !== '' && !script.includes('no test specified');
}

/** The `test` script of a package.json; a broken file defines none. */
export function npmTestScript(text: string | undefined): string | undefined {
  const test = scriptsOf(text)?.['test'];
  return typeof test === 'string' ? test : undefined;
}

/** All scripts of a package.json as one text, to be compared. */
export function npmScripts(text: string | undefined): string {
  return JSON.stringify(scriptsOf(text) ?? {});
}

function scriptsOf(text: string | undefined): Record<string, unknown> | undefined {
  try {
    return (JSON.parse(text?.replace(/^\ufeff/, '') ?? '{}') as { scripts?: Record<string, unknown> } | null)?.scripts;
  } catch {
    return undefined;
  }
}

function usesPytest(m: Manifests): boolean {
  return (
    m['pytest.ini'] !== undefined ||
    [m['pyproject.toml'], m['setup.cfg'], m['tox.ini']].some((text) => /\bpytest\b/.test(text ?? ''))
  );
}
