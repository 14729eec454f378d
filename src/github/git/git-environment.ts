export interface GitCredentials {
  /** The remote's URL: the header goes to its origin only. */
  url: string;
  token: string;
  /** Another token, for when the server no longer takes this one. */
  renew?: () => Promise<string>;
}

export interface GitPlace {
  gitDir: string;
  workTree?: string;
}

/** Settings no repository can change, since what git reads from the environment wins over its config files. */
const FIXED_CONFIG: [string, string][] = [
  ['core.hooksPath', '/dev/null'],
  ['core.fsmonitor', 'false'],
  ['core.untrackedCache', 'false'],
  ['core.attributesFile', '/dev/null'],
  ['core.excludesFile', '/dev/null'],
  ['core.autocrlf', 'false'],
  ['core.symlinks', 'true'],
  ['core.quotePath', 'true'],
  ['core.alternateRefsCommand', 'true'],
  ['credential.helper', ''],
  ['protocol.allow', 'never'],
  ['protocol.https.allow', 'always'],
  ['protocol.http.allow', 'always'],
  ['protocol.file.allow', 'user'],
  ['fetch.recurseSubmodules', 'false'],
  ['submodule.recurse', 'false'],
  ['gc.auto', '0'],
  ['maintenance.auto', 'false'],
  // Packs can be linked into a session's git directory as they are, thousands of loose objects cannot.
  ['fetch.unpackLimit', '1'],
  ['http.lowSpeedLimit', '1000'],
  ['http.lowSpeedTime', '60'],
];

const SEARCH_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/opt/homebrew/bin';

/** The whole environment of one git child: nothing of ours is inherited, not even where programs are looked for. */
export function gitEnvironment(place: GitPlace, credentials?: GitCredentials): Record<string, string> {
  const config = [...FIXED_CONFIG, ...safeDirectories(place), ...(credentials ? [authorization(credentials)] : [])];
  return {
    PATH: SEARCH_PATH,
    HOME: '/nonexistent',
    LC_ALL: 'C',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_SYSTEM: '/dev/null',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_ATTR_NOSYSTEM: '1',
    GIT_NO_REPLACE_OBJECTS: '1',
    GIT_LITERAL_PATHSPECS: '1',
    GIT_TERMINAL_PROMPT: '0',
    GIT_ASKPASS: 'true',
    GIT_OPTIONAL_LOCKS: '0',
    ...configVariables(config),
  };
}

/** Basic, as GitHub's own checkout does: git over HTTP takes no bearer token. */
export function basicAuthorization(token: string): string {
  return `basic ${Buffer.from(`x-access-token:${token}`).toString('base64')}`;
}

function safeDirectories({ gitDir, workTree }: GitPlace): [string, string][] {
  return [gitDir, workTree].filter((path) => path !== undefined).map((path) => ['safe.directory', path]);
}

function authorization({ url, token }: GitCredentials): [string, string] {
  return [`http.${new URL(url).origin}/.extraheader`, `AUTHORIZATION: ${basicAuthorization(token)}`];
}

function configVariables(config: [string, string][]): Record<string, string> {
  const variables: Record<string, string> = { GIT_CONFIG_COUNT: String(config.length) };
  for (const [index, [key, value]] of config.entries()) {
    variables[`GIT_CONFIG_KEY_${index}`] = key;
    variables[`GIT_CONFIG_VALUE_${index}`] = value;
  }
  return variables;
}
