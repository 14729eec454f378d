import { readFile, readdir } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ContainerInspectInfo } from 'dockerode';
import type { Script } from '../../src/demo/model/reply.ts';
import { calls } from '../../src/demo/model/reply.ts';
import { connectEngine } from '../../src/docker/engine.ts';
import { viaAction, viaApp, viaCli } from './support/hosts.ts';
import { containersOf } from './support/leftovers.ts';
import { repositoryOf } from './support/look.ts';
import { MEND, SMALL_FILES, SMALL_ISSUE, submit } from './support/small-repository.ts';
import { runDsh } from './support/run-dsh.ts';
import { commonVariables, openStage } from './support/stage.ts';
import type { Stage } from './support/stage.ts';

/** Every host once, with a model that looks for secrets, and everything that was written or could be seen meanwhile. */
let stage: Stage;
let secrets: string[];
let said: string[];
const argvs = new Set<string>();
const containers: ContainerInspectInfo[] = [];

const SNOOP = calls('bash', {
  command:
    'env; cat /proc/*/environ /proc/*/cmdline 2>/dev/null | tr "\\0" "\\n"; cat .git/config; ls -la / /run /var/run',
  description: 'Look around',
});

/** A model that knows a secret: from here on nobody is to see it again. */
const sayingTheKey = () =>
  calls('bash', { command: `echo "the key is ${stage.modelKey}"`, description: `Say ${stage.modelKey}` });

beforeAll(async () => {
  stage = await openStage();
  said = [];
  const watching = new AbortController();
  const watched = watchProcesses(watching.signal);
  const script: Script = async (_request, index) => {
    for (const found of await containersOf(stage.root)) containers.push(await inspect(found));
    return [sayingTheKey(), SNOOP, MEND, submit()][index] ?? submit();
  };
  for (const host of ['app', 'action', 'cli']) {
    const subject = await stage.addIssue(`secret-${host}`, SMALL_FILES, SMALL_ISSUE);
    const ask = () => stage.github.comment(subject.repo, subject.number, { by: 'maria', body: '/dsh fix' });
    stage.play(script);
    if (host === 'app') said.push((await viaApp(stage, ask)).log);
    if (host === 'cli') said.push(JSON.stringify(await viaCli(stage, ['fix', subject.url])));
    if (host !== 'action') continue;
    await ask();
    const { stdout, stderr, summary, outputs } = await viaAction(stage, {
      repo: subject.repo,
      name: 'issue_comment',
      action: 'created',
      by: 'maria',
    });
    // The runner takes these lines, which tell it what to mask, out of what it shows.
    said.push(stdout.replaceAll(/^::add-mask::.*$/gm, ''), stderr, summary, JSON.stringify(outputs));
  }
  watching.abort();
  await watched;
  const { app, state } = stage.github;
  secrets = [stage.modelKey, app.webhookSecret, app.privateKey.split('\n')[3] ?? '', ...state.tokens.keys()];
}, 120_000);

afterAll(async () => {
  expect(await stage.close()).toEqual([]);
});

async function inspect(named: string): Promise<ContainerInspectInfo> {
  return connectEngine(process.env.DOCKER_HOST).getContainer(named.replace('container ', '')).inspect();
}

/** Collects the arguments of every process that is seen while the hosts run. */
async function watchProcesses(signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
    for (const text of await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => ''))))
      argvs.add(text);
    await sleep(4);
  }
}

const leaks = (text: string) =>
  secrets.filter(
    (secret) => text.includes(secret) || text.includes(Buffer.from(`x-access-token:${secret}`).toString('base64')),
  );

describe('bot-security', () => {
  it('X1 the container has no variable of the host but its own two, and no network', () => {
    expect(containers.length).toBeGreaterThanOrEqual(3);
    for (const { Config, HostConfig } of containers) {
      expect(
        Config.Env.map((line) => line.split('=')[0]).filter((name) => !['HOME', 'LANG', 'PATH'].includes(name ?? '')),
      ).toEqual([]);
      expect(leaks(JSON.stringify([Config, HostConfig]))).toEqual([]);
      expect(HostConfig.NetworkMode).toBe('none');
      expect(HostConfig.CapDrop).toEqual(['ALL']);
      expect(HostConfig.ReadonlyRootfs).toBe(true);
    }
  });

  it('X1 a command that looks for secrets in its world finds none, so the model is shown none', () => {
    const bodies = stage.model.requests.map(({ raw }) => raw);

    expect(bodies.some((raw) => raw.includes('HOME=/tmp'))).toBe(true);
    expect(bodies.flatMap(leaks)).toEqual([]);
    expect(bodies.filter((raw) => raw.includes('docker.sock'))).toEqual([]);
  });
});

describe('bot-human-loop', () => {
  it('P8 no secret was written to GitHub', () => {
    const { requests, state } = stage.github;
    const texts = state.repositories.flatMap(({ issues }) =>
      [...issues.values()].map((issue) =>
        JSON.stringify([issue.title, issue.body, issue.comments.map(({ body }) => body)]),
      ),
    );

    expect(texts.length).toBeGreaterThanOrEqual(6);
    expect(
      [...texts, ...requests.map(({ path, query, body }) => JSON.stringify([path, query, body]))].flatMap(leaks),
    ).toEqual([]);
  });

  it('P8 no secret was said in a terminal, a summary, an output or to the operator', () => {
    expect(said.join('').length).toBeGreaterThan(500);
    expect(said.flatMap(leaks)).toEqual([]);
  });

  it('P8 no secret is in a session log or anywhere else below the data directory', async () => {
    for (const host of ['app', 'action', 'cli']) {
      const id = `gh-${repositoryOf(stage, `acme/secret-${host}`).id}-1-1`;
      const { stdout } = await runDsh(['sessions', 'export', id], commonVariables(stage));
      expect(stdout).toContain('"tool/result"');
      expect(stdout).toContain('the key is ***');
      expect(leaks(stdout)).toEqual([]);
    }
    const files = await readdir(stage.dataDir, { recursive: true, withFileTypes: true });
    const texts = await Promise.all(
      files.filter((file) => file.isFile()).map((file) => readFile(`${file.parentPath}/${file.name}`, 'latin1')),
    );
    expect(texts.length).toBeGreaterThan(5);
    expect(texts.flatMap(leaks)).toEqual([]);
  });
});

describe('bot-fix', () => {
  it('C2 no process was given a secret as an argument', () => {
    const gits = [...argvs].filter((argv) => argv.startsWith('git\0'));

    expect(gits.length).toBeGreaterThan(0);
    expect([...argvs].flatMap(leaks)).toEqual([]);
  });
});
