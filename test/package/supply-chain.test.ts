import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { findPackageRoot } from '../../src/cli/package-root.ts';

interface Step {
  readonly uses?: string;
  readonly run?: string;
  readonly env?: Record<string, string>;
}
interface Job {
  readonly needs?: string;
  readonly permissions?: Record<string, string>;
  readonly 'timeout-minutes'?: number;
  readonly steps: Step[];
}
interface Workflow {
  readonly on: unknown;
  readonly permissions: Record<string, string>;
  readonly jobs: Record<string, Job>;
}

const root = findPackageRoot();
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const folder = '.github/workflows';
const files = readdirSync(join(root, folder));
const workflows = files.map((name) => [name, parse(read(`${folder}/${name}`)) as Workflow] as const);
const release = workflows.find(([name]) => name === 'release.yml')![1];
const runsOf = ({ steps }: Job) => steps.map(({ run }) => run ?? '').join('\n');

describe('bot-security', () => {
  it.each(workflows)(
    'X11 %s: each action is pinned by the whole id of a commit, with its version beside it',
    (name, { jobs }) => {
      const uses = Object.values(jobs).flatMap(({ steps }) => steps.flatMap(({ uses: action }) => action ?? []));

      expect(uses.length).toBeGreaterThan(0);
      for (const action of uses) expect(action).toMatch(/^[\w.-]+\/[\w.-]+@[0-9a-f]{40}$/);
      const lines = read(`${folder}/${name}`).match(/^.*\buses:.*$/gm)!;
      for (const line of lines) expect(line).toMatch(/@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
    },
  );

  it.each(workflows)(
    'X11 %s: no more rights than each job needs, and no text of others in a script',
    (_name, workflow) => {
      expect(workflow.permissions).toEqual({ contents: 'read' });
      for (const job of Object.values(workflow.jobs)) {
        expect(job['timeout-minutes']).toBeGreaterThan(0);
        expect(runsOf(job)).not.toContain('${{');
        for (const step of job.steps) {
          if (step.uses?.startsWith('actions/checkout@'))
            expect(step).toMatchObject({ with: { 'persist-credentials': false } });
        }
      }
      expect(JSON.stringify(workflow.on)).not.toContain('pull_request_target');
    },
  );

  it('X11 a release is checked and audited, and comes with an SBOM, digests and provenance', () => {
    const { check, package: made, publish } = release.jobs as Record<'check' | 'package' | 'publish', Job>;

    expect(runsOf(check)).toMatch(/\.ci\/run[\s\S]*npm audit --audit-level=high/);
    expect([made.needs, publish.needs]).toEqual(['check', 'package']);
    expect(runsOf(made)).toMatch(
      /npm ci[\s\S]*npm pack[\s\S]*npm sbom .*cyclonedx[\s\S]*npm sbom .*spdx[\s\S]*sha256sum/,
    );
    expect(runsOf(publish)).toMatch(/sha256sum --check[\s\S]*npm publish .*--provenance[\s\S]*gh release create/);
    expect(publish.permissions).toEqual({ contents: 'write', actions: 'read', 'id-token': 'write' });
  });

  it('X11 only the job that publishes has secrets and writes, and it runs nothing of a dependency', () => {
    const { publish, ...others } = release.jobs;

    expect(JSON.stringify(others)).not.toMatch(/secrets\.|github\.token|"write"/);
    expect(runsOf(publish!)).not.toMatch(/npm (?:ci|install|run)|npx|\.ci/);
    expect(runsOf(publish!)).toContain('--ignore-scripts');
  });

  it('X11 the lockfile names every package that is asked for, each with its digest', () => {
    const lock = JSON.parse(read('package-lock.json')) as {
      lockfileVersion: number;
      packages: Record<string, { resolved?: string; integrity?: string; link?: boolean } & Record<string, unknown>>;
    };
    const manifest = JSON.parse(read('package.json')) as Record<string, unknown>;
    const { '': own, ...packages } = lock.packages;

    expect(lock.lockfileVersion).toBe(3);
    for (const kind of ['dependencies', 'devDependencies', 'optionalDependencies'])
      expect(own![kind]).toEqual(manifest[kind]);
    const loose = Object.entries(packages).filter(
      ([, { resolved, integrity, link, inBundle }]) =>
        !link &&
        !inBundle &&
        !(/^https:\/\//.test(resolved ?? 'https://') && /^sha512-[\w+/]{86}==$/.test(integrity ?? '')),
    );
    expect(loose.map(([path]) => path)).toEqual([]);
  });
});
