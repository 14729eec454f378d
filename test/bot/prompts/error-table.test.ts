import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { GenerateOptions } from '../../../src/harness/llm/types.ts';
import { callBlock, calls, reply } from '../../support/scripted-model.ts';
import type { ScriptedReply } from '../../support/scripted-model.ts';
import type { MemoryScript } from '../../support/memory-bash.ts';
import { JobBench, NAME } from '../support/job-bench.ts';

interface Words {
  readonly path: string;
  readonly file: string;
  /** A line of the file, and its text. */
  readonly line: number;
  readonly text: string;
  readonly doubled: string;
  readonly notFound: string;
  readonly noHost: string;
  readonly noRight: string;
}

const LANGUAGES: Record<string, Words> = {
  English: {
    path: 'src/price list.js',
    file: "// The price\nexport function price(count) {\n  const sum = count * 2; // the sum\n  return sum;\n}\nlog('sum');\nlog('sum');\n",
    line: 3,
    text: 'const sum = count * 2; // the sum',
    doubled: "log('sum');",
    notFound: 'bash: line 1: pnpm: command not found\n',
    noHost: 'curl: (6) Could not resolve host: example.org\n',
    noRight: "mkdir: cannot create directory '/x': Permission denied\n",
  },
  Chinese: {
    path: '源码/价格 表.js',
    file: "// 价格\nexport function 价格(数量) {\n  const 总和 = 数量 * 2; // 合计金额\n  return 总和;\n}\nlog('合计');\nlog('合计');\n",
    line: 3,
    text: 'const 总和 = 数量 * 2; // 合计金额',
    doubled: "log('合计');",
    notFound: 'bash: 行 1: pnpm: 未找到命令\n',
    noHost: 'ping: example.org: 未知的名称或服务\n',
    noRight: "mkdir: 无法创建目录 '/x': 权限不够\n",
  },
};

interface Case {
  readonly name: string;
  readonly call: ScriptedReply;
  readonly says: readonly RegExp[];
  /** A command that fails is a result, with the advice under its output. */
  readonly isResult?: true;
}

function casesOf({ path, line, text, doubled, notFound, noHost, noRight }: Words) {
  const edit = (old_string: string, new_string = 'x') => calls('edit', { file_path: path, old_string, new_string });
  const commands: Record<string, MemoryScript> = {
    'pnpm test': { exitCode: 127, stderr: notFound },
    'command -v pnpm': { exitCode: 1 },
    'curl example.org': { exitCode: 6, stderr: noHost },
    'mkdir /x': { exitCode: 1, stderr: noRight },
    'touch /etc/x': { exitCode: 1, stderr: noRight, denied: true },
    'sleep 60': { durationMs: 60_000, stdout: `${text}\n` },
  };
  const bash = (command: string, more: object = {}) => calls('bash', { command, description: 'try', ...more });
  const cases: Case[] = [
    { name: 'not read', call: edit(text), says: [/read/, /repeat|again|then/] },
    { name: 'read', call: calls('read', { file_path: path }), says: [], isResult: true },
    {
      name: 'line numbers copied',
      call: edit(`${line}:   ${text}\n${line + 1}:   return`),
      says: [/line numbers were copied/, new RegExp(`^${line}: `, 'm')],
    },
    { name: 'tabs for blanks', call: edit(`\t${text}`), says: [/tabs and blanks were exchanged/] },
    { name: 'indentation', call: edit(`      ${text}`), says: [/the indentation differs/] },
    { name: 'trailing blanks', call: edit(`  ${text}  `), says: [/blanks at the end of lines differ/] },
    { name: 'escaped newline', call: edit(`${text}\\n  return`), says: [/escaped with a backslash/] },
    { name: 'already applied', call: edit(`${text.slice(0, -3)} ???`, text), says: [/already there/] },
    {
      name: 'ambiguous',
      call: edit(doubled),
      says: [/occurs 2 times/, /at lines 6, 7/, /add lines around the one you mean, or set replace_all/],
    },
    {
      name: 'no such path',
      call: calls('read', { file_path: path.replace('.js', '.ts') }),
      says: [/does not exist/, new RegExp(`^${path}$`, 'm')],
    },
    {
      name: 'unknown tool',
      call: calls('raed', { file_path: path }),
      says: [/unknown tool/, /\bread\b/, /\bsubmit_result\b/],
    },
    {
      name: 'bad arguments',
      call: calls('read', { file_path: 7, offset: path }),
      says: [/file_path/, /string/, /offset/, /number/],
    },
    {
      name: 'broken JSON',
      call: reply([callBlock('read', `{"file_path": "${path}",`)], { kind: 'tool-calls' }),
      says: [/JSON/, /position \d+|line \d+ column \d+/],
    },
    {
      name: 'timeout',
      call: bash('sleep 60', { timeoutMs: 5 }),
      says: [/limit was 5 ms; run less, or raise timeoutMs \(at most \d+\)/, new RegExp(text.slice(0, 8))],
      isResult: true,
    },
    {
      name: 'no network',
      call: bash('curl example.org'),
      says: [/there is no network; this is policy, and repeating or another way will not help — use what is installed/],
      isResult: true,
    },
    {
      name: 'no right',
      call: bash('mkdir /x'),
      says: [/this is policy, and repeating or another way will not help — work in the tree and below \/tmp/],
      isResult: true,
    },
    {
      name: 'denied',
      call: bash('touch /etc/x'),
      says: [
        /this is policy; repeating the command or writing another way will not help — copy what must change below \/tmp/,
      ],
      isResult: true,
    },
    {
      name: 'command not found',
      call: bash('pnpm test'),
      says: [
        /pnpm is not in this container and without network nothing can be installed; (?:of its kind there is|nothing of its kind is here)/,
      ],
      isResult: true,
    },
  ];
  return { cases, commands };
}

const RESULT = { outcome: 'nothing_to_do', title: 'x', summary: 's', cause: '', verification: [], notes: [] };
const lastResult = ({ messages }: GenerateOptions) =>
  messages
    .flatMap(({ content }) => content)
    .flatMap((block) => (block.type === 'tool-result' ? [block] : []))
    .at(-1)!;

describe('prompts', () => {
  describe.each(Object.entries(LANGUAGES))('a model that errs in %s', (_, words) => {
    const { cases, commands } = casesOf(words);
    let bench: JobBench;
    let requests: readonly GenerateOptions[];
    beforeAll(async () => {
      bench = await JobBench.start({ 'a.txt': 'a\n' });
      const { number } = await bench.github.openIssue(NAME, { by: 'tom', title: words.text, body: words.file });
      const { model } = await bench.run({
        job: 'fix',
        subject: { kind: 'issue', number },
        script: [...cases.map(({ call }) => call), calls('submit_result', RESULT)],
        commands,
        files: { [`/workspace/${words.path}`]: words.file },
      });
      requests = model.requests;
    });
    afterAll(() => bench.close());

    it.each(cases.map(({ name }) => name))('PR28 PR64 %s', (name) => {
      const at = cases.findIndex((one) => one.name === name);
      const { says, isResult } = cases[at]!;
      const { content, isError } = lastResult(requests[at + 1]!);
      const text = content.map((block) => (block.type === 'text' ? block.text : '')).join('');

      expect([name, isError ?? false]).toEqual([name, isResult === undefined]);
      for (const said of says) expect(text).toMatch(said);
      expect(text).not.toMatch(/\n {4}at |node:internal|\/tmp\/dsh-|"type":"object"|\.ts:\d/);
      if (isResult) return;
      const [first = '', ...help] = text.split('\n');
      expect(first).toMatch(/^Error: .+ — .+/);
      expect(help.length).toBeLessThanOrEqual(20);
    });
  });
});
