/** The files that tell how a repository is tested; all stand at its root. */
export const MANIFESTS = ['package.json', 'Makefile', 'pyproject.toml', 'pytest.ini', 'setup.cfg', 'tox.ini', 'go.mod', 'Cargo.toml'] as const;
export type Manifest = (typeof MANIFESTS)[number];
export type Manifests = Readonly<Partial<Record<Manifest, string>>>;

/** The repository's own test commands, read off its manifests at the base commit (F2). None found: empty. Pure. */
export function detectTestCommands(manifests: Manifests): string[] {
  const found = DETECTORS.map((detect) => detect(manifests)).find((command) => command !== undefined);
  return found ? [found] : [];
}

const DETECTORS: readonly ((manifests: Manifests) => string | undefined)[] = [
  (m) => (hasNpmTest(m['package.json']) ? 'npm test' : undefined),
  (m) => (/^test[ \t]*:/m.test(m.Makefile ?? '') ? 'make test' : undefined),
  (m) => (usesPytest(m) ? 'python3 -m pytest' : undefined),
  (m) => (m['go.mod'] === undefined ? undefined : 'go test ./...'),
  (m) => (m['Cargo.toml'] === undefined ? undefined : 'cargo test'),
];

function hasNpmTest(text: string | undefined): boolean {
  const script = scriptsOf(text)?.test;
  return typeof script === 'string' && script.trim() !== '' && !script.includes('no test specified');
}

function scriptsOf(text: string | undefined): Record<string, unknown> | undefined {
  try {
    return (JSON.parse(text ?? '{}') as { scripts?: Record<string, unknown> } | null)?.scripts;
  } catch {
    return undefined; // a broken package.json defines no test command
  }
}

function usesPytest(m: Manifests): boolean {
  return m['pytest.ini'] !== undefined || [m['pyproject.toml'], m['setup.cfg'], m['tox.ini']].some((text) => /\bpytest\b/.test(text ?? ''));
}
