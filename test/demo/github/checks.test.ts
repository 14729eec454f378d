import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Octokit } from '@octokit/rest';
import { startGitHub, type GitHubServer } from '../../../src/demo/github/start-github.ts';
import { openapiValidator } from '../../support/openapi-validator.ts';
import { appOctokit, octokitOf, refused } from './clients.ts';

const repo = { owner: 'acme', repo: 'shop' };
const annotation = { path: 'a', start_line: 1, end_line: 1, annotation_level: 'warning' as const, message: 'm' };

describe('demo-github', () => {
  let github: GitHubServer;
  let app: Octokit;
  let sha: string;
  let pull: number;

  beforeAll(async () => {
    github = await startGitHub({ validate: openapiValidator({ responses: true }) });
    await github.addRepository({ owner: 'acme', name: 'shop', files: { a: '1\n' } });
    sha = await github.push('acme/shop', { by: 'acme', branch: 'topic', files: { a: '2\n' } });
    pull = (await github.openPull('acme/shop', { by: 'acme', title: 'T', head: 'topic', base: 'main' })).number;
    app = appOctokit(github, 'acme');
  });
  afterAll(() => github.close());

  it('keeps a check run through its life, with annotations added call by call', async () => {
    const { data: run } = await app.rest.checks.create({
      ...repo,
      name: 'dsh review',
      head_sha: sha,
      status: 'in_progress',
    });
    const output = { title: 'T', summary: 'S', annotations: Array.from({ length: 50 }, () => annotation) };
    await app.rest.checks.update({ ...repo, check_run_id: run.id, output });
    await app.rest.checks.update({
      ...repo,
      check_run_id: run.id,
      output: { ...output, annotations: [annotation] },
      conclusion: 'neutral',
    });

    const { data } = await app.rest.checks.get({ ...repo, check_run_id: run.id });
    expect(data).toMatchObject({
      status: 'completed',
      conclusion: 'neutral',
      output: { annotations_count: 51 },
      pull_requests: [{ number: pull }],
    });
    expect(
      await app.paginate(app.rest.checks.listAnnotations, { ...repo, check_run_id: run.id, per_page: 50 }),
    ).toHaveLength(51);
    const { data: listed } = await app.rest.checks.listForRef({ ...repo, ref: 'topic', check_name: 'dsh review' });
    expect(listed.check_runs.map(({ id }) => id)).toEqual([run.id]);
    const { data: suites } = await app.rest.checks.listSuitesForRef({ ...repo, ref: sha });
    expect(suites.check_suites).toMatchObject([{ app: { slug: 'dsh' }, conclusion: 'neutral', head_branch: 'topic' }]);
    expect(
      (await app.rest.checks.listForSuite({ ...repo, check_suite_id: suites.check_suites[0]!.id })).data.total_count,
    ).toBe(1);
  });

  it('refuses more than 50 annotations in a call, a missing conclusion, a person, and an unknown commit', async () => {
    const many = { title: 'T', summary: 'S', annotations: Array.from({ length: 51 }, () => annotation) };
    const create = (octokit: Octokit, fields: object) =>
      octokit.rest.checks.create({ ...repo, name: 'x', head_sha: sha, ...fields });
    const person = octokitOf(github, github.createToken('acme'));

    expect((await refused(create(app, { output: many }))).status).toBe(422);
    expect((await refused(create(app, { status: 'completed' }))).status).toBe(422);
    expect((await refused(create(person, {}))).message).toBe('You must authenticate via a GitHub App.');
    expect((await refused(create(app, { head_sha: '1'.repeat(40) }))).status).toBe(422);
  });

  it('lists CI runs and artifacts, and serves their bytes', async () => {
    const run = await github.finishWorkflowRun('acme/shop', {
      name: 'ci',
      headSha: sha,
      headBranch: 'topic',
      conclusion: 'failure',
    });
    const old = github.addArtifact('acme/shop', 'dsh-session-issue-1', Buffer.from('old'), run.id);
    const artifact = github.addArtifact('acme/shop', 'dsh-session-issue-1', Buffer.from('zip bytes'), run.id);

    const { data: runs } = await app.rest.actions.listWorkflowRunsForRepo({ ...repo, branch: 'topic' });
    const { data: found } = await app.rest.actions.listArtifactsForRepo({ ...repo, name: 'dsh-session-issue-1' });
    const { data: bytes } = await app.rest.actions.downloadArtifact({
      ...repo,
      artifact_id: artifact.id,
      archive_format: 'zip',
    });

    expect(runs.workflow_runs).toMatchObject([
      { id: run.id, conclusion: 'failure', pull_requests: [{ number: pull }] },
    ]);
    expect(found.artifacts.map(({ id }) => id)).toEqual([artifact.id, old.id]);
    expect(String(bytes)).toContain('zip bytes');
    const { data: ci } = await app.rest.checks.listForRef({ ...repo, ref: sha, app_id: 15_368 });
    expect(ci.check_runs).toMatchObject([{ name: 'ci', conclusion: 'failure', app: { slug: 'github-actions' } }]);
  });
});
