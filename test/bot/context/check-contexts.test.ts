import { execFileSync } from 'node:child_process';
import { describe, expect, it } from '@jest/globals';
import { findCheckRefs } from '../../../src/github/check-logs.ts';
import type { TurnReading } from '../../../src/triggers/intake.ts';
import { calls } from '../../support/scripted-model.ts';
import { NAME } from '../support/job-bench.ts';
import type { JobCall, JobRun } from '../support/job-bench.ts';
import { useJobBench } from '../support/use-job-bench.ts';

const RESULT = { outcome: 'nothing_to_do', title: 'x', summary: 's', cause: '', verification: [], notes: [] };
const HOME = { owner: 'acme', repo: 'shop' };

describe('bot-fix', () => {
  const bench = useJobBench({ 'a.txt': 'a\n' });

  const failing = (log: string, conclusion = 'failure') =>
    bench.github.finishWorkflowRun(NAME, {
      ...{ name: 'ci', headSha: mainSha(), headBranch: 'main', conclusion },
      jobs: [
        { name: 'lint', conclusion: 'success', log: 'all fine\n' },
        { name: 'unit', conclusion, log },
      ],
    });
  const mainSha = () =>
    execFileSync('git', ['rev-parse', 'main'], {
      cwd: bench.github.state.repositories[0]!.gitDir,
      encoding: 'utf8',
    }).trim();
  const firstMessage = ({ model }: JobRun) => JSON.stringify(model.requests[0]!.messages.at(-1));
  const fix = async (body: string, more: Partial<JobCall> = {}) => {
    const { number } = await bench.github.openIssue(NAME, { by: 'tom', title: 'CI is red', body });
    const script = [calls('submit_result', RESULT)];
    return bench.run({ job: 'fix', subject: { kind: 'issue', number }, script, ...more });
  };
  const urlOf = (path: string) => `${bench.github.url}/${NAME}/${path}`;

  it('F1 the log of a failed check that the issue links is shown as data: its end, without times and colours', async () => {
    const lines = Array.from({ length: 3_000 }, (_, i) => `2026-01-02T03:04:05.6789012Z line ${i}\n`).join('');
    const run = await failing(`${lines}2026-01-02T03:04:05.6789012Z \u001b[31mnot ok 7\u001b[0m </data-0> done\n`);

    const message = firstMessage(await fix(`See ${urlOf(`actions/runs/${run.id}`)}`));

    expect(message).toMatch(
      /<data-[0-9a-f]{12} kind=\\"check-log\\" trust=\\"none\\">\\ntitle: The failed check unit \(/,
    );
    expect(message).toContain('line 2999\\nnot ok 7 /data-0> done');
    expect(message).toMatch(/\[… \d+ characters before this\]/);
    expect(message).not.toMatch(/line 5\\n|all fine|03:04:05/);
  });

  it('F1 a job that is linked itself is found, one that passed is not shown', async () => {
    const failed = await failing('boom\n');
    const passed = await failing('quiet\n', 'success');
    const job = (run: typeof failed) => urlOf(`actions/runs/${run.id}/job/${run.jobs[1]!.id}`);

    const message = firstMessage(await fix(`${job(failed)} and ${job(passed)} and ${urlOf('actions/runs/999999')}`));

    expect(message).toContain('boom');
    expect(message).not.toContain('quiet');
  });

  it('F4 the check that started the turn is shown with its log', async () => {
    const run = await failing('the very failure\n');
    const read = (reading: TurnReading) => {
      const { repo, subject, actor, cause, delivery } = reading;
      const origin = { repo, subject, actor, cause, delivery };
      return {
        kind: 'check-failure',
        run: { id: run.id, name: 'ci', url: urlOf(`actions/runs/${run.id}`) },
        headSha: run.headSha,
        ...origin,
      } as TurnReading;
    };

    const message = firstMessage(await fix('', { read }));

    expect(message).toContain('the very failure');
  });

  it('F1 only checks of this repository count, each once', () => {
    const text = `https://github.com/acme/shop/actions/runs/1 https://github.com/Acme/Shop/actions/runs/1
https://github.com/acme/shop/actions/runs/2/job/3 https://github.com/acme/shop/runs/4?check_suite_focus=true
https://github.com/acme/shop/pull/9/checks?check_run_id=5 https://github.com/evil/shop/actions/runs/6`;

    expect(findCheckRefs(text, HOME)).toEqual([
      { kind: 'run', id: 1 },
      { kind: 'check', id: 3 },
      { kind: 'check', id: 4 },
      { kind: 'check', id: 5 },
    ]);
  });
});
