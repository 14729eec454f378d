import { HOME_FOLDER } from '../container-options.ts';
import { proxyEnvironment } from '../egress/proxy-environment.ts';

/** Every command's environment begins here. `PATH` is the image's own, added inside. Nothing of the host is inherited. */
const BASE = {
  HOME: HOME_FOLDER,
  LANG: 'C.UTF-8',
  CI: '1',
  NO_COLOR: '1',
  TERM: 'dumb',
  PAGER: 'cat',
  GIT_PAGER: 'cat',
  GIT_TERMINAL_PROMPT: '0',
  // The git directory is read-only and belongs to somebody else.
  GIT_OPTIONAL_LOCKS: '0',
  GIT_CONFIG_COUNT: '1',
  GIT_CONFIG_KEY_0: 'safe.directory',
  GIT_CONFIG_VALUE_0: '*',
};

const SECRET_NAME = /KEY|SECRET|TOKEN|PASSWORD|PASSWD/i;
/** Would run code before or within every command. */
const CODE_NAME =
  /^(?:BASH_ENV|ENV|BASH_FUNC_.*|SHELLOPTS|PROMPT_COMMAND|LD_.*|GIT_(?:SSH.*|EXTERNAL_DIFF|ASKPASS|EXEC_PATH|PROXY_COMMAND))$/;

export interface EnvironmentSources {
  /** The operator's entries. */
  config?: Readonly<Record<string, string>>;
  /** Names of `config` that may look like a secret. */
  allowedNames?: readonly string[];
  /** Whether the container has a way out. */
  hasNetwork?: boolean;
  env?: Readonly<Record<string, string>>;
  dshEnv?: Readonly<Record<string, string>>;
}

/** The whole environment of one command; later sources win. Pure. */
export function commandEnvironment(sources: EnvironmentSources): Record<string, string> {
  const { config = {}, allowedNames = [], hasNetwork = false, env = {}, dshEnv = {} } = sources;
  const allowed = Object.entries(config).filter(
    ([name]) => !CODE_NAME.test(name) && (!SECRET_NAME.test(name) || allowedNames.includes(name)),
  );
  const own = Object.fromEntries(allowed.filter(([name]) => !name.startsWith('DSH_')));
  return { ...BASE, ...(hasNetwork && proxyEnvironment()), ...own, ...env, ...dshEnv };
}
