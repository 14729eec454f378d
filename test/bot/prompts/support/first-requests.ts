import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ConfigFile } from '../../../../src/config/config-file.ts';
import type { GenerateOptions } from '../../../../src/harness/llm/types.ts';
import type { JobKind } from '../../../../src/triggers/reading.ts';
import { calls, says } from '../../../support/scripted-model.ts';
import { pairwise } from '../../../support/pairwise.ts';
import type { Row } from '../../../support/pairwise.ts';
import { JobBench, NAME } from '../../support/job-bench.ts';

/** What the first request of a job depends on. The shell has no background in any of them: it is not offered. */
export const FACTORS = {
  job: ['fix', 'review', 'ask', 'plan', 'goal'],
  profile: ['trusted', 'untrusted'],
  people: ['asked', 'nobody'],
  skills: ['some', 'none'],
  network: ['none', 'allow-list'],
  networkBound: ['none', 'full'],
  subagents: ['off', 'on'],
  instructions: ['some', 'none'],
} as const;

/** What a job has by default, with all that a repository and people can add. */
const FULLEST: readonly Row[] = FACTORS.job.map((job) => ({
  ...{ job, profile: 'trusted', people: 'asked', skills: 'some', network: 'none', networkBound: 'full' },
  ...{ subagents: 'off', instructions: 'some' },
}));

/** Nobody is asked for a stranger's sake. */
export const isAllowed = ({ profile, people }: Row): boolean => profile === 'trusted' || people === 'nobody';
export const ROWS: readonly Row[] = [...FULLEST, ...pairwise(FACTORS, isAllowed)];

export interface FirstRequest {
  readonly row: Row;
  readonly system: string;
  readonly tools: NonNullable<GenerateOptions['tools']>;
  /** What is drawn at random or told by a clock is written as `ID` or 0 here: ids of data blocks and of goals. */
  readonly messages: readonly string[];
}

const FILES = { 'README.md': 'A shop.\n', 'src/price.js': 'export const price = 1;\n' };
const INSTRUCTIONS = { 'AGENTS.md': 'Keep functions small.\n' };
const SKILL = '---\nname: release\ndescription: How a release is made.\n---\nTag it.\n';

/** The first request of each row, of whole jobs on the test GitHub. */
export async function firstRequests(): Promise<FirstRequest[]> {
  const folder = mkdtempSync(join(tmpdir(), 'dsh-first-'));
  const skills = join(folder, 'skills');
  mkdirSync(join(skills, 'release'), { recursive: true });
  writeFileSync(join(skills, 'release', 'SKILL.md'), SKILL);
  const benches = { some: await openBench({ ...FILES, ...INSTRUCTIONS }), none: await openBench(FILES) };
  try {
    const found: FirstRequest[] = [];
    for (const row of ROWS) found.push(await firstRequest(benches[row['instructions'] as 'some'], row, folder, skills));
    return found;
  } finally {
    await Promise.all(Object.values(benches).map((bench) => bench.close()));
    rmSync(folder, { recursive: true, force: true });
  }
}

const ISSUE = { title: 'The price is wrong', body: 'It is 1 and should be 2.' };

/** Issue 1; pull request 2 of somebody who may write, 3 of a stranger. */
async function openBench(files: Record<string, string>): Promise<JobBench> {
  const bench = await JobBench.start(files);
  await bench.github.openIssue(NAME, { by: 'tom', ...ISSUE });
  for (const by of ['maria', 'tom']) {
    await bench.github.push(NAME, { by, branch: by, files: { 'src/price.js': 'export const price = 2;\n' } });
    await bench.github.openPull(NAME, { by, ...ISSUE, head: by, base: 'main' });
  }
  return bench;
}

async function firstRequest(bench: JobBench, row: Row, spillDir: string, skills: string): Promise<FirstRequest> {
  const job = row['job'] as JobKind;
  const isTrusted = row['profile'] === 'trusted';
  const config = {
    network: row['network'],
    networkBound: row['networkBound'],
    subagents: row['subagents'] === 'on',
    skills: { dirs: row['skills'] === 'some' ? [skills] : [] },
  } as ConfigFile;
  const subject =
    job === 'review' ? ({ kind: 'pull', number: isTrusted ? 2 : 3 } as const) : ({ kind: 'issue', number: 1 } as const);
  const script = [says('Nothing.'), calls('submit_result', {}), ...Array.from({ length: 8 }, () => says('Nothing.'))];
  const call = { job, subject, request: `Please ${job}.`, script, config, spillDir, alone: row['people'] === 'nobody' };
  const { model } = await bench.run({ ...call, permission: isTrusted ? 'write' : 'read' });
  const [{ system = '', tools = [], messages }] = model.requests as [GenerateOptions];
  return { row, system, tools, messages: messages.map(textOf) };
}

function textOf({ content }: GenerateOptions['messages'][number]): string {
  const texts = content.map((block) => (block.type === 'text' ? block.text : block.type));
  return texts
    .join('')
    .replaceAll(/(<\/?data-)[0-9a-f]{12}/g, '$1ID')
    .replaceAll(/"(createdAt|updatedAt)":\d+/g, '"$1":0')
    .replaceAll(/"id":"[0-9a-f-]{36}"/g, '"id":"ID"');
}
