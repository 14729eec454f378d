/** Programs that do the same kind of work, so that a missing one can be replaced. */
const FAMILIES: readonly (readonly string[])[] = [
  ['python', 'python3', 'pypy3'],
  ['pip', 'pip3', 'uv', 'pipx', 'poetry', 'conda'],
  ['node', 'nodejs', 'bun', 'deno'],
  ['npm', 'pnpm', 'yarn', 'bun'],
  ['npx', 'pnpx', 'bunx'],
  ['java', 'javac', 'mvn', 'gradle', 'ant'],
  ['make', 'gmake', 'ninja', 'cmake', 'just'],
  ['gcc', 'clang', 'cc', 'g++', 'clang++', 'c++'],
  ['go', 'gofmt'],
  ['cargo', 'rustc'],
  ['ruby', 'bundle', 'rake', 'gem'],
  ['php', 'composer'],
  ['curl', 'wget'],
  ['rg', 'grep', 'ag', 'ack'],
  ['fd', 'fdfind', 'find'],
  ['jq', 'yq', 'python3', 'node'],
  ['vim', 'vi', 'nano', 'sed', 'awk', 'perl'],
  ['zip', 'unzip', 'tar', 'gzip', '7z'],
  ['docker', 'podman'],
];

/** Candidates in place of `command`, best known first; which of them exist is for the caller to find out. */
export function toolKin(command: string): string[] {
  const kin = FAMILIES.filter((family) => family.includes(command)).flat();
  return [...new Set(kin)].filter((name) => name !== command);
}
