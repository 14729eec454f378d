import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { says } from '../../src/demo/model/reply.ts';
import { viaAction } from './support/hosts.ts';
import { botComments } from './support/look.ts';
import { runDsh } from './support/run-dsh.ts';
import { MEND, run, SMALL_FILES, SMALL_ISSUE, submit } from './support/small-repository.ts';
import { commonVariables, openStage } from './support/stage.ts';
import type { Stage } from './support/stage.ts';

/** The network as a turn has it, from the Action's input to the comment, with a real container. */
let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(async () => {
  expect(await stage.close()).toEqual([]);
});

const ALLOW = { INPUT_NETWORK: 'allow-list' };
const LOOK =
  'echo "proxies: $(env | grep -ci proxy)"; node -e "fetch(\'https://evil.example/\').catch((e) => console.log(e.cause.message))"';

async function fix(name: string, variables = {}, files: Record<string, string> = SMALL_FILES) {
  const subject = await stage.addIssue(name, files, SMALL_ISSUE);
  await stage.github.comment(subject.repo, subject.number, { by: 'maria', body: '/dsh fix' });
  stage.play([run(LOOK), MEND, submit()]);
  const from = stage.model.requests.length;
  const event = { repo: subject.repo, name: 'issue_comment', action: 'created', by: 'maria' };
  const { outputs, stdout } = await viaAction(stage, event, variables);
  const requests = stage.model.requests.slice(from).map(({ raw }) => raw);
  return { subject, outputs, stdout, requests, comment: botComments(stage, subject)[0]?.body ?? '' };
}

async function events(session: string): Promise<{ type: string; data: Record<string, unknown> }[]> {
  const { stdout } = await runDsh(['sessions', 'export', session], commonVariables(stage));
  return stdout
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => JSON.parse(line) as never);
}

describe('cases', () => {
  it('N14 refusals show in the comment and in the log, and the model is told what the network is', async () => {
    const { outputs, requests, comment } = await fix('listed', ALLOW);

    expect(outputs['status']).toBe('completed');
    expect(comment).toContain('The network refused: `evil.example` (not on the list).');
    expect(requests[0]).toContain('The network reaches the package registries only');
    expect(requests[1]).toMatch(/proxies: [1-9]/);
    const logged = (await events(outputs['session-id']!)).filter(({ type }) => type === 'sandbox/network');
    expect(logged.map(({ data }) => data)).toEqual([
      {
        turn: expect.any(Number),
        callId: expect.any(String),
        requests: [{ host: 'evil.example', port: 443, verdict: 'refused', reason: 'not on the list', count: 1 }],
      },
    ]);
  });

  it('N14 without a network there is nothing to ask, and nothing to show', async () => {
    const { outputs, requests, comment } = await fix('closed');

    expect(outputs['status']).toBe('completed');
    expect(requests[0]).toContain('There is no network');
    expect(requests[1]).toContain('proxies: 0');
    expect(comment).not.toContain('network');
  });
});

describe('bot-security', () => {
  it('X4 a pull request from a fork gets no network, whatever is configured', async () => {
    const repo = await stage.addRepository('forked', SMALL_FILES);
    const fork = await stage.github.addFork(repo, 'tom');
    await stage.github.push(fork, { by: 'tom', branch: 'more', files: { 'more.txt': 'more\n' } });
    await stage.github.openPull(repo, { by: 'tom', title: 'More', head: 'tom:more', base: 'main' });
    stage.play([run(LOOK), says('Nothing to say.')]);
    const from = stage.model.requests.length;

    await viaAction(stage, { repo, name: 'pull_request', action: 'opened', by: 'tom' }, ALLOW);

    const requests = stage.model.requests.slice(from).map(({ raw }) => raw);
    expect(requests[0]).toContain('There is no network');
    expect(requests[1]).toContain('proxies: 0');
  });
});

describe('bot-fix', () => {
  it('C6 setup is run before the turn, and its failure is told to the model and to people', async () => {
    const files = (setup: string) => ({
      ...SMALL_FILES,
      '.gitignore': 'deps/\n',
      '.github/dsh.yml': `${SMALL_FILES['.github/dsh.yml']}setup: { commands: ['${setup}'] }\n`,
    });
    const failing = await fix('setup-fails', {}, files('echo boom; exit 9'));
    expect(failing.outputs['status']).toBe('completed');
    expect(failing.comment).toContain('Setup failed: echo boom; exit 9 ended with exit code 9.');
    expect(failing.requests[0]).toMatch(/<data-\w+ kind=\\"setup\\"[^>]*>\\nSetup failed[^<]*boom/);

    const working = await fix(
      'setup-works',
      {},
      files('mkdir deps; wget -q https://evil.example; ls /dsh/egress > deps/way'),
    );
    expect(working.comment).not.toContain('Setup');
    expect(working.requests[0]).not.toContain('kind=\\"setup\\"');
    expect(working.outputs['status']).toBe('completed');
  });

  it('C6 what setup was refused is logged with the turn it was for', async () => {
    const { outputs, comment } = await fix(
      'setup-refused',
      {},
      {
        ...SMALL_FILES,
        'setup.sh': LOOK,
        '.github/dsh.yml': `${SMALL_FILES['.github/dsh.yml']}setup: { commands: ['sh setup.sh'] }\n`,
      },
    );
    const logged = (await events(outputs['session-id']!)).filter(({ type }) => type === 'sandbox/network');
    expect(logged).toHaveLength(1);
    expect(logged[0]!.data).not.toHaveProperty('callId');
    expect(comment).toContain('The network refused: `evil.example` (not on the list).');
  });
});
