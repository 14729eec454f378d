import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { Octokit } from '@octokit/rest';
import { parse } from 'yaml';
import { neededRights } from '../../src/cli/doctor/app-needs.ts';
import { findPackageRoot } from '../../src/cli/package-root.ts';
import { hasPermission } from '../../src/demo/github/access.ts';
import type { Permissions } from '../../src/demo/github/records.ts';
import { routes } from '../../src/demo/github/rest/routes.ts';
import { startGitHub } from '../../src/demo/github/start-github.ts';
import type { GitHubServer } from '../../src/demo/github/start-github.ts';
import { permissionsFor } from '../../src/github/least-permissions.ts';
import type { TokenUse } from '../../src/github/least-permissions.ts';
import { Redactor } from '../../src/publish/redact.ts';
import { openAccess } from '../../src/repository-access.ts';

const SRC = join(findPackageRoot(), 'src');
const USES: readonly TokenUse[] = ['talk', 'undo', 'resolve', 'ask', 'plan', 'review', 'fix', 'goal'];
/** Only what the Action does with its own token, to keep sessions between runs. */
const OF_THE_ACTION = /^action\//;

/** `git.createTree` and the like, with the files that call them. */
function restCalls(): Map<string, string[]> {
  const calls = new Map<string, string[]>();
  for (const file of readdirSync(SRC, { recursive: true, encoding: 'utf8' })) {
    if (!file.endsWith('.ts') || file.startsWith('demo/') || OF_THE_ACTION.test(file)) continue;
    const text = readFileSync(join(SRC, file), 'utf8');
    for (const [, group, name] of text.matchAll(/\.rest\.(\w+)\.(\w+)\b/g)) {
      const call = `${group}.${name}`;
      calls.set(call, [...(calls.get(call) ?? []), file]);
    }
  }
  return calls;
}

/** What GitHub asks of an app for it, as its documentation has it; undefined where any token will do. */
function neededFor(call: string): string | undefined {
  const [group = '', name = ''] = call.split('.');
  const { rest } = new Octokit() as unknown as {
    rest: Record<string, Record<string, { endpoint: { DEFAULTS: { method: string; url: string } } }>>;
  };
  const { method, url } = rest[group]![name]!.endpoint.DEFAULTS;
  const route = routes.find(({ operation }) => operation === `${method} ${url}`);
  if (!route) throw new Error(`the test GitHub does not know ${method} ${url} (${call})`);
  return route.on === 'repository' ? route.access.app : undefined;
}

let github: GitHubServer | undefined;
afterEach(() => github?.close());

describe('bot-security', () => {
  it('X9 the manifest covers each call that the code makes', () => {
    const { permissions } = neededRights();
    const calls = restCalls();

    expect(calls.size).toBeGreaterThan(30);
    for (const [call, files] of calls) {
      const needed = neededFor(call);
      if (needed === undefined) continue;
      const isCovered = hasPermission(permissions as Permissions, needed);
      expect({ call, files, needed, isCovered }).toMatchObject({ isCovered: true });
    }
  });

  it('X9 and asks for no more than some turn needs, each with its reason', () => {
    const { permissions } = neededRights();
    const most = Object.assign({}, ...USES.map(permissionsFor)) as Record<string, string>;
    for (const use of USES) {
      for (const [name, level] of Object.entries(permissionsFor(use))) if (level === 'write') most[name] = level;
    }

    expect(permissions).toEqual(most);
    expect(permissions).not.toHaveProperty('workflows');
    const text = readFileSync(join(findPackageRoot(), 'app.yml'), 'utf8');
    const lines = text
      .slice(text.indexOf('default_permissions:'))
      .split('\n')
      .filter((line) => /^ {2}\w/.test(line));
    expect(lines).toHaveLength(Object.keys(permissions).length);
    for (const line of lines) expect(line).toMatch(/^ {2}\w+: (?:read|write) # \S/);
    expect(parse(text)).toMatchObject({ public: false });
  });

  const access = (granted: Permissions) => {
    const { app, state, apiUrl } = github!;
    state.installations[0]!.permissions = granted;
    const auth = {
      ...{ appId: app.id, privateKey: app.privateKey, installationId: state.installations[0]!.id },
      repositoryIds: [state.repositories[0]!.id],
    };
    const repo = { owner: 'acme', repo: 'shop' };
    const own = { userAgent: 'test', self: {}, ownLogin: app.botLogin, redactor: new Redactor() };
    return openAccess({ auth, apiUrl, repo, ...own });
  };
  const start = async () => {
    github = await startGitHub();
    await github.addRepository({ owner: 'acme', name: 'shop', private: true, files: { 'a.txt': 'a\n' } });
  };
  const rightsOf = (token: string) => {
    const actor = github!.state.tokens.get(token)!.actor;
    return actor.kind === 'app'
      ? { permissions: actor.permissions, only: [...(actor.repositoryIds ?? [])] }
      : undefined;
  };
  const ALL = { ...permissionsFor('fix') } as Permissions;

  it.each(USES)('X9 a token for %s is minted for one repository with what that takes', async (use) => {
    await start();

    const token = await access(ALL).narrowedTo!(use).token();

    expect(rightsOf(token)).toEqual({ permissions: permissionsFor(use), only: [github!.state.repositories[0]!.id] });
  });

  it('X9 what an owner has not granted yet is left out, and the rest is minted', async () => {
    await start();
    const { checks: _checks, actions: _actions, ...older } = ALL;

    const token = await access({ ...older, issues: 'read' }).narrowedTo!('review').token();

    const { checks: _not, ...talk } = permissionsFor('talk');
    expect(rightsOf(token)?.permissions).toEqual({ ...talk, issues: 'read' });
  });

  it('U1 X9 the right to change workflows is asked for only by who changes some, and only where it was granted', async () => {
    await start();
    const fix = access({ ...ALL, workflows: 'write' }).narrowedTo!('fix');
    expect(rightsOf(await fix.token())?.permissions).not.toHaveProperty('workflows');

    expect(await fix.mayWriteWorkflows!(AbortSignal.timeout(5_000))).toBe(true);
    expect(rightsOf(await fix.token())?.permissions).toMatchObject({ workflows: 'write', contents: 'write' });

    const other = access(ALL).narrowedTo!('fix');
    expect(await other.mayWriteWorkflows!(AbortSignal.timeout(5_000))).toBe(false);
    expect(rightsOf(await other.token())?.permissions).toEqual(permissionsFor('fix'));
  });
});
