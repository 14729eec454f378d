import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { JobParts } from '../bot/job/job-parts.ts';
import type { Config } from '../config/config.ts';
import type { Env } from '../config/env.ts';
import { endsWithRun } from '../config/ends-with-run.ts';
import { checkSandbox } from '../docker/check-sandbox.ts';
import { DEFAULT_SANDBOX_IMAGE } from '../docker/default-image.ts';
import { removeContainersOf } from '../docker/sweep/sweep-containers.ts';
import { openRoom, WORKER_BOOT } from '../room/open-room.ts';
import { setUpTree } from '../room/set-up-tree.ts';
import type { Records } from '../store/records.ts';
import type { Foundations } from './foundations.ts';

/** What a job works with; what it keeps beside its log goes into these records. */
export function partsOfJobs(foundations: Foundations, records: Records): JobParts {
  const { env, docker, models, redactor, store, writers, live, winding, plugins, now, log } = foundations;
  const { sessions } = store;
  const { place, spillRoot } = foundations;
  const imageOf = (config: Config) => config.sandbox.image ?? env.DSH_SANDBOX_IMAGE ?? DEFAULT_SANDBOX_IMAGE;
  return {
    ...{ dataDir: env.dataDir, records, live, redactor, now, log, winding: winding.signal, ...onRunner(env) },
    get forgetful() {
      return endsWithRun(env) && !foundations.isKept?.();
    },
    logOf: async (session) => ((await sessions.has(session)) ? (await sessions.inspect(session)).events : []),
    endSandboxesOf: (session) => removeContainersOf(docker, session, env.dataDir),
    targetOf: (config) => models.targetOf(config.model ?? env.DSH_MODEL),
    checkSandbox: async (config) => {
      await checkSandbox(docker, { image: imageOf(config), runtime: config.sandbox.runtime });
    },
    setUpTree: (request) => setUpTree(request, { ...place, image: imageOf(request.config), boot: WORKER_BOOT, now }),
    openRoom: (room) =>
      openRoom(room, {
        ...{ ...place, models, plugins, redactor, spillRoot },
        image: imageOf(room.config),
        persistence: store.persistence(writers.epochOf),
      }),
  };
}

/** A job of GitHub Actions: its own checkout lends what it has. */
function onRunner({ RUNNER_TEMP, GITHUB_WORKSPACE }: Env): Partial<JobParts> {
  const lender = RUNNER_TEMP && GITHUB_WORKSPACE && join(GITHUB_WORKSPACE, '.git');
  const isDirectory = lender && statSync(lender, { throwIfNoEntry: false })?.isDirectory();
  return isDirectory ? { borrowFrom: lender } : {};
}
