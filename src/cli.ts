#!/usr/bin/env node
import { Command, CommanderError, Option } from 'commander';
import { EXIT, exitCodeOf, exitCodeOfProblem } from './cli/exit-code.ts';
import { secretsOf } from './config/secrets-of.ts';
import { DshError } from './errors.ts';
import type { Handled } from './handle-event.ts';
import { Redactor } from './publish/redact.ts';
import type { CommandName } from './triggers/command-table.ts';

/** Lines for people go to stderr with `--json`, whose one document has stdout for itself. */
interface Output {
  say(line: string): void;
  log(message: string, error?: unknown): void;
  result(value: unknown): void;
}
interface RunFlags {
  readonly json?: boolean;
  readonly dryRun?: boolean;
  readonly model?: string;
}

const program = new Command('dsh')
  .description('DeepSeek Harness for GitHub: fixes issues and reviews pull requests')
  .showHelpAfterError()
  .exitOverride();

for (const [name, what, subject] of [
  ['fix', 'change the code for an issue, or on a pull request', '<issue or pull request URL>'],
  ['review', 'review a pull request', '<pull request URL>'],
  ['ask', 'answer a question from the code', '<issue or pull request URL>'],
] as const) {
  program
    .command(`${name} ${subject.replaceAll(' ', '-')} [text...]`)
    .description(`${what}, with GITHUB_TOKEN's owner asking`)
    .option('--dry-run', 'write nothing; print what would be written')
    .option('--model <provider/model>', 'the model to use')
    .option('--json', 'print one JSON document')
    .action((url: string, text: string[], flags: RunFlags) =>
      run(flags, (output) => onSubject(name, url, text.join(' '), flags, output)),
    );
}

program
  .command('serve')
  .description('run the GitHub App server')
  .action(() => run({}, serve));
program
  .command('action')
  .description('run as a step of a GitHub Action')
  .action(async () => {
    process.exitCode = await (await import('./action.ts')).runAction(process.env);
  });
program
  .command('demo')
  .description('the whole main job against a GitHub in this process, with a real sandbox')
  .option('--live', 'use the real model of DEEPSEEK_API_KEY or OPENAI_API_KEY')
  .option('--json', 'print one JSON document')
  .action((flags: { live?: boolean; json?: boolean }) => run(flags, (output) => demo(flags.live ?? false, output)));

const sessions = program.command('sessions').description('look at stored sessions');
sessions
  .command('list', { isDefault: true })
  .option('--json', 'print one JSON document')
  .action((flags: RunFlags) =>
    run(flags, async (output) => (await import('./cli/sessions.ts')).listSessions(process.env, output)),
  );
sessions
  .command('show <session>')
  .option('--json', 'print one JSON document')
  .action((id: string, flags: RunFlags) =>
    run(flags, async (output) => (await import('./cli/sessions.ts')).showSession(id, process.env, output)),
  );
sessions
  .command('export <session>')
  .description('the raw log, one event a line, or what people read')
  .addOption(new Option('--format <format>', 'what to print').choices(['jsonl', 'md']).default('jsonl'))
  .action((id: string, { format }: { format: 'jsonl' | 'md' }) =>
    run({}, async (output) => (await import('./cli/sessions.ts')).exportSession(id, format, process.env, output)),
  );

program
  .command('replay <session-or-file>')
  .description('rebuild every request of a session from its log, and prove that it is the one that was sent')
  .option('--rerun', 'run the turns again, with the recorded answers and tool results')
  .option('--json', 'print one JSON document')
  .action((target: string, flags: RunFlags & { rerun?: boolean }) =>
    run(flags, async (output) =>
      (await import('./cli/replay.ts')).replaySession(target, { rerun: flags.rerun ?? false }, process.env, output),
    ),
  );

await program.parseAsync().catch((error: unknown) => {
  if (!(error instanceof CommanderError)) throw error;
  process.exitCode =
    error.code === 'commander.helpDisplayed' || error.code === 'commander.help' ? EXIT.done : EXIT.usage;
});

/** The one place of this host that catches: what went wrong and how to mend it, then the exit code that says which kind. */
async function run(flags: RunFlags, work: (output: Output) => Promise<number>): Promise<void> {
  const output = outputFor(flags.json ?? false);
  try {
    process.exitCode = await work(output);
  } catch (error) {
    const problem = await problemForPeople(error);
    process.stderr.write(`${problem.message}\n${problem.hint ? `${problem.hint}\n` : ''}`);
    if (flags.json) output.result({ status: 'failed', problem });
    process.exitCode = exitCodeOfProblem(problem.code);
  }
}

async function problemForPeople(error: unknown) {
  const { problemOf } = await import('./bot/problem.ts');
  return new Redactor(secretsOf(process.env)).redactAll(problemOf(error));
}

async function onSubject(
  command: CommandName,
  url: string,
  text: string,
  flags: RunFlags,
  output: Output,
): Promise<number> {
  const [{ openHost }, { runOnSubject }] = await Promise.all([
    import('./cli/open-host.ts'),
    import('./cli/run-on-subject.ts'),
  ]);
  const host = await openHost(process.env, output.log);
  const inputs = flags.model ? { model: flags.model } : {};
  const call = { command, url, text, dryRun: flags.dryRun ?? false };
  const handled = await runOnSubject(call, { ...host, inputs, say: output.say, signal: interruption() }).finally(() =>
    host.bot.close(),
  );
  output.result(handled.map(toJson));
  return exitCodeOf(handled);
}

async function serve(output: Output): Promise<number> {
  const [{ openHost }, { serveFromEnvironment }] = await Promise.all([
    import('./cli/open-host.ts'),
    import('./cli/serve.ts'),
  ]);
  const host = await openHost(process.env, output.log);
  await serveFromEnvironment(host, output, interruption()).finally(() => host.bot.close());
  return EXIT.done;
}

async function demo(live: boolean, output: Output): Promise<number> {
  const { runDemo } = await import('./cli/demo.ts');
  const result = await runDemo({ live, say: output.say, variables: process.env, signal: interruption() });
  output.result(result);
  return result.passed ? EXIT.done : EXIT.failed;
}

/** Aborts on Ctrl-C and on a polite end; a second one ends the process at once. */
function interruption(): AbortSignal {
  const controller = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const) {
    process.once(name, () => {
      controller.abort();
      process.once(name, () => process.exit(EXIT.interrupted));
    });
  }
  return controller.signal;
}

function toJson({ status, why, outcome, problem }: Handled) {
  return { status, ...(why && { why }), ...(outcome && { ...outcome }), ...(problem && { problem }) };
}

function outputFor(json: boolean): Output {
  const lines = json ? process.stderr : process.stdout;
  return {
    say: (line) => void lines.write(`${line}\n`),
    log: (message, error) =>
      void process.stderr.write(`${redact(`${message}${error === undefined ? '' : `: ${forOperator(error)}`}`)}\n`),
    result: (value) => {
      if (json) process.stdout.write(`${JSON.stringify(value, null, 2)}\n`);
    },
  };
}

/** What a person can mend has said how; anything else is a fault of ours, and where it came from helps to find it. */
function forOperator(error: unknown): string {
  if (error instanceof DshError) return `${error.message} ${error.hint}`;
  return Error.isError(error) ? (error.stack ?? error.message) : String(error);
}

/** Tokens that are minted later have a shape that is known. */
function redact(text: string): string {
  return new Redactor(secretsOf(process.env)).redact(text);
}
