import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Webhooks } from '@octokit/webhooks';
import type { WebhookDefinition } from '@octokit/webhooks-examples';
import { startGitHub, type GitHubServer } from '../../../src/demo/github/start-github.ts';
import { appOctokit, refused } from './clients.ts';
import { startWebhookTarget } from './webhook-target.ts';

const recordings = createRequire(import.meta.url)('@octokit/webhooks-examples') as WebhookDefinition[];
const repo = { owner: 'acme', repo: 'shop' };

describe('demo-github', () => {
  let github: GitHubServer;
  let target: Awaited<ReturnType<typeof startWebhookTarget>>;

  beforeEach(async () => {
    target = await startWebhookTarget();
    github = await startGitHub();
    await github.addRepository({ owner: 'acme', name: 'shop', files: { 'a.ts': 'one\ntwo\n' } });
    github.setWebhookTarget(target.url);
  });
  afterEach(async () => {
    await github.close();
    await target.close();
  });

  it('signs every delivery so that Octokit verifies it, in order, with the installation in it', async () => {
    const { number } = await github.openIssue('acme/shop', { by: 'alice', title: 'Ünïcode' });
    await github.comment('acme/shop', number, { by: 'alice', body: '/dsh fix' });
    await github.settled();

    const webhooks = new Webhooks({ secret: github.app.webhookSecret });
    expect(target.received.map(({ event, payload }) => `${event} ${payload.action}`)).toEqual([
      'issues opened',
      'issue_comment created',
    ]);
    for (const { raw, signature, payload } of target.received) {
      expect(await webhooks.verify(raw, signature)).toBe(true);
      expect(payload).toMatchObject({
        installation: { id: github.installationOf('acme')!.id },
        sender: { login: 'alice', type: 'User' },
        repository: { full_name: 'acme/shop' },
      });
    }
    expect(new Set(target.received.map(({ guid }) => guid)).size).toBe(2);
  });

  it("tells of the app's own writes with its bot as sender", async () => {
    const { number } = await github.openIssue('acme/shop', { by: 'alice', title: 'T' });
    const app = appOctokit(github, 'acme');
    const { data } = await app.rest.issues.createComment({ ...repo, issue_number: number, body: 'working' });
    await app.rest.issues.updateComment({ ...repo, comment_id: data.id, body: 'done' });
    await app.rest.issues.deleteComment({ ...repo, comment_id: data.id });
    await github.settled();

    expect(target.received.slice(1).map(({ payload }) => payload.action)).toEqual(['created', 'edited', 'deleted']);
    expect(target.received[1]!.payload).toMatchObject({
      sender: { login: 'dsh[bot]', type: 'Bot' },
      comment: { performed_via_github_app: { id: github.app.id } },
    });
    expect(target.received[2]!.payload.changes).toEqual({ body: { from: 'working' } });
  });

  it('tells each thing that people do on issues and pull requests', async () => {
    const { number: issue } = await github.openIssue('acme/shop', { by: 'alice', title: 'T', body: 'b' });
    await github.label('acme/shop', issue, { by: 'wendy', labels: ['dsh'] });
    await github.unlabel('acme/shop', issue, { by: 'wendy', label: 'dsh' });
    await github.assign('acme/shop', issue, { by: 'wendy', assignees: ['alice'] });
    await github.editIssue('acme/shop', issue, { by: 'alice', body: 'better' });
    await github.editIssue('acme/shop', issue, { by: 'alice', state: 'closed' });
    await github.editIssue('acme/shop', issue, { by: 'alice', state: 'open' });
    const before = await github.push('acme/shop', { by: 'alice', branch: 'topic', files: { 'a.ts': 'one\n2\n' } });
    const { number: pull } = await github.openPull('acme/shop', {
      by: 'alice',
      title: 'P',
      head: 'topic',
      base: 'main',
      draft: true,
    });
    await github.setDraft('acme/shop', pull, { by: 'alice', draft: false });
    await github.label('acme/shop', pull, { by: 'alice', labels: ['dsh'] });
    await github.requestReview('acme/shop', pull, { by: 'alice', reviewers: ['dsh[bot]'] });
    const review = await github.review('acme/shop', pull, {
      by: 'wendy',
      event: 'APPROVE',
      comments: [{ path: 'a.ts', line: 2, body: 'nice' }],
    });
    const line = await github.commentOnLine('acme/shop', pull, {
      by: 'wendy',
      path: 'a.ts',
      line: 2,
      body: '/dsh fix',
    });
    await github.editReviewComment('acme/shop', line.comment.id, { by: 'wendy', body: '/dsh fix it' });
    const after = await github.push('acme/shop', {
      by: 'alice',
      branch: 'topic',
      files: { 'a.ts': '1\n2\n' },
      from: 'main',
    });
    await github.mergePull('acme/shop', pull, { by: 'wendy' });
    await github.settled();

    expect(target.received.map(({ event, payload }) => [event, payload.action].filter(Boolean).join(' '))).toEqual([
      'issues opened',
      'issues labeled',
      'issues unlabeled',
      'issues assigned',
      'issues edited',
      'issues closed',
      'issues reopened',
      'push',
      'pull_request opened',
      'pull_request ready_for_review',
      'pull_request labeled',
      'pull_request review_requested',
      'pull_request_review submitted',
      'pull_request_review_comment created',
      'pull_request_review submitted',
      'pull_request_review_comment created',
      'pull_request_review_comment edited',
      'push',
      'pull_request synchronize',
      'push',
      'pull_request closed',
    ]);
    const of = (event: string, action?: string) =>
      target.received.findLast((one) => one.event === event && one.payload.action === action)!.payload;
    expect(of('issues', 'labeled')).toMatchObject({ label: { name: 'dsh' }, sender: { login: 'wendy' } });
    expect(of('pull_request_review', 'submitted').review).toMatchObject({ state: 'commented', body: null });
    expect(target.received.find(({ event }) => event === 'pull_request_review')!.payload.review).toMatchObject({
      id: review.id,
      state: 'approved',
    });
    expect(target.received.findLast(({ payload }) => payload.ref === 'refs/heads/topic')!.payload).toMatchObject({
      forced: true,
      created: false,
    });
    expect(of('pull_request', 'synchronize')).toMatchObject({ before, after, pull_request: { head: { sha: after } } });
    expect(of('pull_request', 'closed').pull_request).toMatchObject({ merged: true, merged_by: { login: 'wendy' } });
  });

  it('lists failed deliveries to the app and sends one again under its own guid', async () => {
    const app = appOctokit(github);
    target.answerWith(500);
    const { number } = await github.openIssue('acme/shop', { by: 'alice', title: 'Lost' });
    await github.settled();
    github.setWebhookTarget('http://127.0.0.1:1/');
    await github.comment('acme/shop', number, { by: 'alice', body: 'lost too' });
    await github.settled();
    github.setWebhookTarget(target.url);
    target.answerWith(202);

    const { data: failed } = await app.rest.apps.listWebhookDeliveries({ status: 'failure' });
    await app.rest.apps.redeliverWebhookDelivery({ delivery_id: failed[0]!.id });
    await github.settled();

    expect(failed).toMatchObject([
      { event: 'issue_comment', status_code: 0, redelivery: false },
      { event: 'issues', status_code: 500 },
    ]);
    expect(target.received.at(-1)).toMatchObject({ event: 'issue_comment', guid: failed[0]!.guid });
    const { data: all } = await app.rest.apps.listWebhookDeliveries({ per_page: 1 });
    expect(all).toMatchObject([{ guid: failed[0]!.guid, redelivery: true, status: 'OK' }]);
    expect(await app.paginate(app.rest.apps.listWebhookDeliveries, { per_page: 1 })).toHaveLength(3);
    expect((await app.rest.apps.getWebhookDelivery({ delivery_id: failed[0]!.id })).data.request.payload).toMatchObject(
      { comment: { body: 'lost too' } },
    );
  });

  it('sends nothing where the app is suspended or not installed, but keeps the event for Action runs', async () => {
    github.suspendInstallation('acme');
    await github.openIssue('acme/shop', { by: 'alice', title: 'Quiet' });
    github.suspendInstallation('acme', false);
    github.uninstall('acme');
    await github.openIssue('acme/shop', { by: 'alice', title: 'Quieter' });
    await github.settled();

    expect(target.received.map(({ event, payload }) => `${event} ${payload.action}`)).toEqual([
      'installation suspend',
      'installation unsuspend',
      'installation deleted',
    ]);
    expect(target.received[2]!.payload).toMatchObject({
      installation: { account: { login: 'acme' } },
      repositories: [{ full_name: 'acme/shop' }],
    });
    const payload = JSON.parse(await readFile(await github.eventFile('issues', 'opened'), 'utf8')) as Record<
      string,
      unknown
    >;
    expect(payload).toMatchObject({ action: 'opened', issue: { title: 'Quieter' } });
    expect(payload).not.toHaveProperty('installation');
  });

  it('sends a delivery again under the same guid', async () => {
    await github.openIssue('acme/shop', { by: 'alice', title: 'Twice' });
    await github.settled();

    github.redeliver(github.deliveries[0]!);
    await github.settled();

    expect(target.received.map(({ guid }) => guid)).toEqual([github.deliveries[0]!.guid, github.deliveries[0]!.guid]);
    expect(target.received[1]!.raw).toBe(target.received[0]!.raw);
  });

  it('tells of CI runs that end, with their logs', async () => {
    const sha = await github.push('acme/shop', { by: 'alice', branch: 'topic', files: { b: '1\n' } });
    const run = await github.finishWorkflowRun('acme/shop', {
      name: 'ci',
      headSha: sha,
      headBranch: 'topic',
      conclusion: 'failure',
      jobs: [{ name: 'test', log: 'boom\n' }],
    });
    await github.settled();

    expect(target.received.slice(1).map(({ event, payload }) => `${event} ${payload.action}`)).toEqual([
      'check_run created',
      'check_run completed',
      'check_suite completed',
      'workflow_run completed',
    ]);
    expect(target.received.at(-2)!.payload.check_suite).toMatchObject({
      conclusion: 'failure',
      head_branch: 'topic',
      head_sha: sha,
    });
    const app = appOctokit(github, 'acme');
    const { data } = await app.rest.actions.listJobsForWorkflowRun({ ...repo, run_id: run.id });
    const { data: log } = await app.rest.actions.downloadJobLogsForWorkflowRun({ ...repo, job_id: data.jobs[0]!.id });
    expect(String(log)).toBe('boom\n');
    expect((await refused(app.rest.actions.getWorkflowRun({ ...repo, run_id: 1 }))).status).toBe(404);
  });
});

describe('demo-github', () => {
  let github: GitHubServer;

  beforeAll(async () => {
    github = await startGitHub();
    await github.addRepository({ owner: 'acme', name: 'shop', files: { 'a.ts': 'one\n' } });
    const { number } = await github.openIssue('acme/shop', {
      by: 'alice',
      title: 'T',
      body: 'b',
      labels: ['bug'],
      assignees: ['alice'],
    });
    await github.comment('acme/shop', number, { by: 'alice', body: 'c' });
    const sha = await github.push('acme/shop', { by: 'alice', branch: 'topic', files: { 'a.ts': '1\n' } });
    const { number: pull } = await github.openPull('acme/shop', {
      by: 'alice',
      title: 'P',
      head: 'topic',
      base: 'main',
    });
    await github.commentOnLine('acme/shop', pull, { by: 'wendy', path: 'a.ts', line: 1, body: 'x' });
    await github.finishWorkflowRun('acme/shop', {
      name: 'ci',
      headSha: sha,
      headBranch: 'topic',
      conclusion: 'success',
    });
  });
  afterAll(() => github.close());

  it.each([
    'issues opened',
    'issue_comment created',
    'pull_request opened',
    'pull_request_review submitted',
    'pull_request_review_comment created',
    'push',
    'check_run created',
    'check_suite completed',
    'workflow_run completed',
  ])('has every field of the recorded example: %s', (title) => {
    const [name, action] = title.split(' ');
    const recorded = recordings.find((one) => one.name === name)!.examples as unknown as Record<string, unknown>[];
    const example = recorded.find((one) => action === undefined || one.action === action) ?? recorded[0]!;
    const event = github.events.findLast((one) => one.name === name && one.action === action)!;

    expect(missingFields(example, event.payload, '')).toEqual([]);
  });
});

/** Fields of a recorded payload ours has not; what only belongs to some subjects is left out. */
function missingFields(example: Record<string, unknown>, ours: Record<string, unknown>, path: string): string[] {
  const optional =
    /\.(organization|deployment|milestone|master_branch|stargazers|public|before|head_commit)$|\.permissions\.|^\.(organization|changes|label|assignee|issue\.draft)$/;
  return Object.entries(example).flatMap(([key, value]) => {
    const here = `${path}.${key}`;
    if (optional.test(here)) return [];
    if (!(key in ours)) return [here];
    const both = [value, ours[key]];
    if (both.some((one) => typeof one !== 'object' || one === null || Array.isArray(one))) return [];
    return missingFields(value as Record<string, unknown>, ours[key] as Record<string, unknown>, here);
  });
}
