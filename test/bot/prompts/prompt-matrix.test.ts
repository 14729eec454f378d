import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { JOB_TOOLS } from '../../../src/bot/prompts/sections.ts';
import type { JobKind } from '../../../src/triggers/reading.ts';
import { pairsOf, pairwise, productOf } from '../../support/pairwise.ts';
import { FACTORS, ROWS, firstRequests, isAllowed } from './support/first-requests.ts';
import type { FirstRequest } from './support/first-requests.ts';

/** prompts.md, in tokens of four characters: system text, tool schemas. A goal adds its section and two tools to a fix. */
const BUDGETS: Readonly<Record<JobKind, readonly [system: number, schemas: number]>> = {
  ...{ fix: [1_800, 2_500], review: [2_000, 1_800], ask: [900, 1_500], plan: [1_100, 1_900], goal: [2_000, 2_900] },
};
/** Child agents are off by default; their tools come on top. */
const CHILD_TOOLS = ['subagent', 'subagent_isolated', 'apply_subagent_patch'];
const MAX_TOOLS = 12;

/** What each job is told, and what no word of it may say (docs/spec/prompts.md). */
const MUST: Readonly<Record<JobKind, readonly RegExp[]>> = {
  fix: [
    /open until a call of `submit_result` is accepted/,
    /Nobody watches/,
    /reply without a tool call achieves nothing/,
  ],
  review: [/`report_finding` once for each defect/, /at most 120 words/, /what you did not look at or could not run/],
  ask: [/path:line/, /Say what you did not check/, /Change nothing/, /at most 300 words unless the request wants more/],
  plan: [
    ...[
      /Find out by reading/,
      /a person alone can decide/,
      /call it alone in its message/,
      /the goal; the changes, file by file/,
    ],
    ...[/edge cases; the tests/, /assumptions; and what is left out/, /do no part of the work/],
  ],
  goal: [/works? in rounds|worked in rounds/, /Do not call `submit_result` while the goal is active/],
};
const MUST_NOT: Readonly<Record<JobKind, RegExp>> = {
  fix: /git (?:commit|push|add)\b|\bgh\b|post a comment|while you are (?:at it|there)|feel free/i,
  review: /at least \w+ findings|\d+ findings|find as many|great|well done|you (?:may|can) approve/i,
  ask: /would you like|let me know|next steps you|offer to/i,
  plan: /todo_write|\bedit\b|submit_result/i,
  goal: /git (?:commit|push|add)\b|\bgh\b|create_goal/i,
};
const NEVER =
  /\{\{|\b20\d\d-\d\d|\/tmp\/dsh|\/work\/|\/home\/|node_modules|step by step|world-class|you are an? (?:expert|senior)|deepseek|openai|secret key|jailbreak|\bacme\b|\bmaria\b|[0-9a-f]{40}/i;
const SHARED = [/What may instruct you/, /The container: the work tree is at/, /the first sentence is the result/];

const tokens = (text: string) => Math.ceil(text.length / 4);
const nameOf = ({ row }: FirstRequest) => Object.values(row).join(' ');
const told = ({ system, tools }: FirstRequest) => [system, ...tools.map(({ description }) => description)].join('\n\n');
const jobOf = ({ row }: FirstRequest) => row['job'] as JobKind;

describe('prompts', () => {
  let requests: FirstRequest[];
  beforeAll(async () => {
    requests = await firstRequests();
  });

  it('PR64 each pair of what a first request depends on stands together in a row', () => {
    const possible = new Set(productOf(FACTORS).filter(isAllowed).flatMap(pairsOf));

    expect(new Set(ROWS.flatMap(pairsOf))).toEqual(possible);
    expect(pairwise(FACTORS, isAllowed).length).toBeLessThan(16);
  });

  it('PR64 system, tools and first messages of every row are as reviewed; each text stands once', () => {
    const texts = new Map<string, unknown>();
    const idOf = (text: string, whole: unknown = text) => {
      const id = `${text.slice(0, 50).replaceAll(/\s+/g, ' ')} ${digest(JSON.stringify(whole))}`;
      texts.set(id, whole);
      return id;
    };
    const rows = requests.map((request) => ({
      row: nameOf(request),
      system: request.system.split('\n\n').map((part) => idOf(part)),
      tools: request.tools.map((tool) => idOf(tool.name, tool)),
      messages: request.messages.map((part) => idOf(part)),
    }));

    expect(rows).toMatchSnapshot('rows');
    expect(Object.fromEntries([...texts].sort(([a], [b]) => (a < b ? -1 : 1)))).toMatchSnapshot('texts');
  });

  it('PR14 PR64 the budgets hold in every row; child agents come on top', () => {
    for (const request of requests.filter(({ row }) => row['subagents'] === 'off')) {
      const [system, schemas] = BUDGETS[jobOf(request)];
      const sizes = [tokens(request.system), tokens(JSON.stringify(request.tools))];
      expect([nameOf(request), sizes, sizes[0]! <= system, sizes[1]! <= schemas]).toEqual([
        nameOf(request),
        sizes,
        true,
        true,
      ]);
    }
  });

  it('PR20 PR3 at most twelve tools, in the order of the job; what a deployment adds stands before what ends it', () => {
    for (const { row, tools } of requests) {
      const names = tools.map(({ name }) => name);
      const ours = names.filter((name) => JOB_TOOLS[row['job'] as JobKind].includes(name));
      expect(names.filter((name) => !CHILD_TOOLS.includes(name)).length).toBeLessThanOrEqual(MAX_TOOLS);
      expect(ours).toEqual(JOB_TOOLS[row['job'] as JobKind].filter((name) => names.includes(name)));
      expect(names.includes('ask_user_question')).toBe(row['people'] === 'asked' && /fix|plan|goal/.test(row['job']!));
      expect(names.includes('skill')).toBe(row['skills'] === 'some');
      expect(names.includes('subagent')).toBe(row['subagents'] === 'on' && row['job'] !== 'review');
    }
  });

  it('PR22 arguments are flat enough for a strict mode: no unions, patterns, lengths or ranges; descriptions are short', () => {
    for (const { name, description, parameters } of requests.flatMap(({ tools }) => tools)) {
      expect(JSON.stringify(parameters)).not.toMatch(
        /"(?:anyOf|oneOf|allOf|pattern|format|minLength|maxLength|minimum|maximum|minItems|maxItems|\$ref)":(?!\{)/,
      );
      expect([name, tokens(description) <= (name === 'bash' ? 350 : 200)]).toEqual([name, true]);
    }
  });

  it('PR21 PR64 names of tools in the texts are names in the schemas, in every row', () => {
    const all = [...new Set(requests.flatMap(({ tools }) => tools.map(({ name }) => name)))];
    for (const request of requests) {
      const names = new Set(request.tools.map(({ name }) => name));
      const text = told(request);
      const spoken = all.filter((name) =>
        new RegExp(name.includes('_') ? `\\b${name}\\b` : `(?:\`${name}\`|\\b(?:with|use|Use) ${name}\\b)`).test(text),
      );
      expect([nameOf(request), spoken.filter((name) => !names.has(name))]).toEqual([nameOf(request), []]);
      expect(
        [...text.matchAll(/`([a-z]+_[a-z_]+)`/g)]
          .map(([, name]) => name!)
          .filter((name) => !names.has(name) && !FIELDS.has(name)),
      ).toEqual([]);
    }
  });

  it('PR35 where people can be asked the tool says for what, never for leave, and that the recommended option goes first', () => {
    for (const request of requests.filter(({ row }) => /fix|plan|goal/.test(row['job']!))) {
      const isAsked = request.row['people'] === 'asked';
      expect(/Only for what you cannot find out yourself and what changes the result/.test(told(request))).toBe(
        isAsked,
      );
      expect(
        /the one you recommend goes first.*\n.*\n- It asks for information, never for permission/.test(told(request)),
      ).toBe(isAsked);
      expect(/one request of at most three in this job/.test(request.system)).toBe(isAsked);
    }
  });

  it('PR64 what each job must be told, and what none may be told', () => {
    for (const request of requests) {
      const text = told(request);
      const missing = [...SHARED, ...MUST[jobOf(request)]].filter((part) => !part.test(text)).map(String);
      expect([nameOf(request), missing]).toEqual([nameOf(request), []]);
      expect(text.replaceAll('/workspace', '')).not.toMatch(NEVER);
      expect(request.system).not.toMatch(MUST_NOT[jobOf(request)]);
    }
  });

  it('PR1 PR64 no sentence stands twice, in the system text and the descriptions together', () => {
    for (const request of requests.filter(({ row }) => row['subagents'] === 'off')) {
      const sentences = told(request)
        .split(/(?<=[.:;])\s+|\n/)
        .map((sentence) => sentence.replace(/^- /, '').trim())
        .filter((sentence) => sentence.length > 25);
      const doubled = sentences.filter((sentence, at) => sentences.indexOf(sentence) !== at);
      expect([nameOf(request), doubled]).toEqual([nameOf(request), []]);
    }
  });

  it('PR64 PR14 another process, in another time zone and locale, sends the same bytes', async () => {
    const other = await inProcess({ TZ: 'America/St_Johns', LANG: 'tr_TR.UTF-8', LC_ALL: 'tr_TR.UTF-8' });

    expect(process.env['TZ']).not.toBe('America/St_Johns');
    expect(other).toBe(digest(JSON.stringify(requests)));
  });
});

/** Fields of results and arguments, and outcomes, that look like names of tools. */
const FIELDS = new Set(['not_fixed', 'nothing_to_do', 'blocked_reason']);

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 6);
}

async function inProcess(env: Record<string, string>): Promise<string> {
  const script = join(import.meta.dirname, 'support/print-first-requests.ts');
  const options = { env: { ...process.env, ...env, NODE_OPTIONS: '' }, maxBuffer: 50_000_000 };
  return digest((await promisify(execFile)(process.execPath, ['--no-warnings', script], options)).stdout);
}
