import { mergeConfig } from '../../config/merge-config.ts';
import type { Config } from '../../config/config.ts';
import { readEnv } from '../../config/env.ts';
import type { Env } from '../../config/env.ts';
import { readOperatorFile } from '../../config/read-operator-file.ts';
import { DEFAULT_SANDBOX_IMAGE } from '../../docker/default-image.ts';
import { EXIT } from '../exit-code.ts';
import { readIdentity } from '../identity.ts';
import type { Output } from '../output.ts';
import { checkCache } from './check-cache.ts';
import { checkEngineAndImage } from './check-engine.ts';
import { checkApp, checkToken, checkWebhook } from './check-github.ts';
import { checkModel } from './check-model.ts';
import { checkDatabase, checkDataDir } from './check-store.ts';
import { checkGit, checkNode } from './check-tools.ts';
import { find, ok } from './finding.ts';
import type { Check, Finding } from './finding.ts';

type Variables = Readonly<Record<string, string | undefined>>;

/** For each check: long enough for a slow model. */
const LIMIT_MS = 30_000;
const MARKS = { ok: 'ok     ', warning: 'warning', failed: 'FAILED ', skipped: 'skipped' } as const;

/** Looks at everything dsh stands on, and says of each what is, why not, and how to mend it. */
export async function runDoctor(variables: Variables, output: Pick<Output, 'say' | 'result'>): Promise<number> {
  const findings: Finding[] = [];
  const tell = (finding: Finding) => {
    findings.push(finding);
    for (const line of linesOf(finding)) output.say(line);
  };
  let settings: Settings | undefined;
  tell(
    await find(
      settingsCheck(variables, (read) => (settings = read)),
      LIMIT_MS,
    ),
  );
  const checks = settings ? checksOf(settings) : [checkNode, checkGit];
  for (const finding of checks.map((check) => find(check, LIMIT_MS))) tell(await finding);
  output.result(findings);
  return findings.some(({ state }) => state === 'failed') ? EXIT.failed : EXIT.done;
}

interface Settings {
  readonly env: Env;
  readonly config: Config;
}

function settingsCheck(variables: Variables, read: (settings: Settings) => void): Check {
  return {
    name: 'settings',
    mend: 'Correct the variable or the file.',
    async run() {
      const env = readEnv(variables);
      const config = mergeConfig(env.DSH_CONFIG ? await readOperatorFile(env.DSH_CONFIG) : {});
      read({ env, config });
      return ok(env.DSH_CONFIG ? `the environment and ${env.DSH_CONFIG}` : 'the environment; no DSH_CONFIG');
    },
  };
}

/** All at once; they are told in this order. */
function checksOf({ env, config }: Settings): Check[] {
  const identity = readIdentity();
  const github = { env, userAgent: `${identity.product}/${identity.version}` };
  const now = () => new Date();
  return [
    checkNode,
    checkGit,
    checkDataDir(env),
    checkDatabase(env, now),
    checkCache(env, now),
    checkEngineAndImage(env.DOCKER_HOST, config.sandbox.image ?? env.DSH_SANDBOX_IMAGE ?? DEFAULT_SANDBOX_IMAGE),
    checkModel({ env, model: config.model, identity, now }),
    checkToken(github),
    checkApp(github),
    checkWebhook(github),
  ];
}

function linesOf({ name, state, what, mend }: Finding): string[] {
  const indent = ' '.repeat(MARKS.ok.length + 2);
  const line = `${MARKS[state]}  ${name}: ${what.replaceAll('\n', `\n${indent}`)}`;
  return mend === undefined ? [line] : [line, `${indent}${mend}`];
}
