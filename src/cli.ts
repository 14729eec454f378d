#!/usr/bin/env node
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { demoExitCode } from './cli/demo-exit-code.ts';
import { EXIT, exitCodeOf, exitCodeOfProblem } from './cli/exit-code.ts';
import { interruption } from './cli/interruption.ts';
import type { HostAsking } from './bot/job/job.ts';
import { readAnswerFlags } from './cli/answer-flags.ts';
import type { AnswerFlags } from './cli/answer-flags.ts';
import { checkModelFlag } from './cli/model-flag.ts';
import { Output } from './cli/output.ts';
import { printable } from './cli/printable.ts';
import { processTerminal } from './cli/process-terminal.ts';
import type { ExportFlags } from './cli/sessions/export-session.ts';
import type { SearchFlags } from './cli/sessions/search-sessions.ts';
import { DshError } from './errors.ts';
import type { Handled } from './handle-event.ts';
import type { CommandName } from './triggers/command-table.ts';

interface ResumeFlags extends AnswerFlags {
  readonly json?: boolean;
}

interface RunFlags {
  readonly json?: boolean;
  readonly dryRun?: boolean;
  readonly model?: string;
  readonly sarif?: string;
  readonly local?: boolean;
}

/** Known before the arguments are parsed: they may be wrong. What stands after `--` is text. */
const [ownArguments = ''] = process.argv.slice(2).join('\n').split(/^--$/m);
const wantsJson = ownArguments.split('\n').includes('--json');

const program = new Command('dsh')
  .description('DeepSeek Harness for GitHub: fixes issues and reviews pull requests')
  .showHelpAfterError()
  .configureOutput({
    writeOut: (text) => (wantsJson ? process.stderr : process.stdout).write(text),
    writeErr: (text) => process.stderr.write(printable(text)),
  })
  .exitOverride();

for (const [name, what, subject, text] of [
  ['fix', 'change the code for an issue, or on a pull request', '<issue or pull request URL>', '[text...]'],
  ['review', 'review a pull request', '<pull request URL>', '[paths...]'],
  ['ask', 'answer a question from the code', '<issue or pull request URL>', '<question...>'],
] as const) {
  const command = program
    .command(`${name} ${subject.replaceAll(' ', '-')} ${text}`)
    .description(`${what}, with GITHUB_TOKEN's owner asking`)
    .option('--dry-run', 'write nothing; print what would be written')
    .option('--model <provider/model>', 'the model to use')
    .option('--json', 'print one JSON document')
    .action((url: string, text: string[], flags: RunFlags) =>
      run(flags, (output) =>
        flags.local
          ? onCheckout([url, ...text].join(' '), flags, output)
          : onSubject(name, url, text.join(' '), flags, output),
      ),
    );
  if (name === 'fix')
    command.option('--local', 'on the git checkout of this folder, without GitHub: all words are the task');
  if (name === 'review') command.option('--sarif <file>', 'write the findings as SARIF 2.1.0');
}

program
  .command('resume <session>')
  .description('go on with a session that waits for a person')
  .option('--approve', 'allow what it asks for, once')
  .option('--deny [reason]', 'refuse it')
  .option('--answer <text>', 'answer its question: an option’s number or label, or your own words')
  .option('--json', 'print one JSON document')
  .action((session: string, flags: ResumeFlags) => run(flags, (output) => resume(session, flags, output)));
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

program
  .command('doctor')
  .description('check everything dsh stands on, and say how to mend what is wrong')
  .option('--json', 'print one JSON document')
  .action((flags: RunFlags) =>
    run(flags, async (output) => (await import('./cli/doctor/run-doctor.ts')).runDoctor(process.env, output)),
  );
program
  .command('init')
  .description('write .github/dsh.yml and .github/workflows/dsh.yml; asks nothing, overwrites nothing')
  .option('--json', 'print one JSON document')
  .action((flags: RunFlags) =>
    run(flags, async (output) => (await import('./cli/init/run-init.ts')).runInit(process.cwd(), output)),
  );

const sessions = program.command('sessions').description('look at stored sessions');
const count = (text: string) => {
  if (/^[1-9]\d{0,5}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It is a whole number of at least 1.');
};
sessions
  .command('list', { isDefault: true })
  .description('the newest sessions: what they were about, how they ended')
  .option('--limit <count>', 'how many to show', count, 30)
  .option('--children', 'also those of child agents', false)
  .option('--json', 'print one JSON document')
  .action((flags: RunFlags & { limit: number; children: boolean }) =>
    run(flags, async (output) =>
      (await import('./cli/sessions/list-sessions.ts')).listSessions(flags, process.env, output),
    ),
  );
sessions
  .command('show <session>')
  .description('what was asked, said and run')
  .option('--events', 'every event of the log instead, by number and type', false)
  .option('--json', 'print one JSON document')
  .action((id: string, flags: RunFlags & { events: boolean }) =>
    run(flags, async (output) =>
      (await import('./cli/sessions/show-session.ts')).showSession(id, flags, process.env, output),
    ),
  );
sessions
  .command('search <words...>')
  .description('sessions in which a phrase stands, best first')
  .option('--session <session>', 'the places in one session')
  .option('--literal', 'find parts of words, too, and any script; slower', false)
  .option('--type <event>', 'only in events of this type, such as tool/result')
  .option('--since <date>', 'only what is not older')
  .option('--limit <count>', 'how many to show, at most 100', count, 20)
  .option('--cursor <cursor>', 'go on where an earlier search ended')
  .option('--json', 'print one JSON document')
  .action((words: string[], flags: RunFlags & SearchFlags) =>
    run(flags, async (output) =>
      (await import('./cli/sessions/search-sessions.ts')).searchSessions(words.join(' '), flags, process.env, output),
    ),
  );
sessions
  .command('export <session>')
  .description('the raw log, one event a line, or what people read')
  .addOption(new Option('--format <format>', 'what to write').choices(['jsonl', 'md', 'html']).default('jsonl'))
  .option('--output <file>', 'a new file to write it to')
  .option('--json', 'print one JSON document; needs --output')
  .action((id: string, flags: RunFlags & ExportFlags) =>
    run(flags, async (output) =>
      (await import('./cli/sessions/export-session.ts')).exportSession(id, flags, process.env, output),
    ),
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
  const isHelp = error.code === 'commander.helpDisplayed' || error.code === 'commander.help';
  const exitCode = isHelp ? EXIT.done : EXIT.usage;
  process.exitCode = exitCode;
  const hint = 'Write `dsh --help`, or `--help` after a command, to see what it takes.';
  outputFor(wantsJson).finish(exitCode, isHelp ? undefined : { code: 'USAGE', message: error.message, hint });
});

/** The one place of this host that catches: what went wrong and how to mend it, then the exit code that says which kind. */
async function run(flags: RunFlags, work: (output: Output) => Promise<number>): Promise<void> {
  const output = outputFor(flags.json ?? false);
  try {
    const exitCode = await work(output);
    process.exitCode = exitCode;
    output.finish(exitCode);
  } catch (error) {
    const problem = output.failed(error);
    const exitCode = exitCodeOfProblem(problem.code);
    process.exitCode = exitCode;
    output.finish(exitCode, problem);
  }
}

async function onCheckout(task: string, flags: RunFlags, output: Output): Promise<number> {
  const [{ openHost }, { fixLocal }] = await Promise.all([import('./cli/open-host.ts'), import('./cli/fix-local.ts')]);
  const inputs = flags.model === undefined ? {} : { model: checkModelFlag(flags.model) };
  const signal = interruptionOf(output);
  const { bot, operator } = await openHost(process.env, output.log);
  try {
    const options = { bot, operator, inputs, folder: process.cwd(), say: output.say, signal };
    const outcome = await fixLocal(task, options).catch((error: unknown) => {
      throw signal.aborted ? interrupted(error) : error;
    });
    const handled = [{ status: outcome.status, outcome }];
    output.result(handled.map(toJson));
    return exitCodeOf(handled);
  } finally {
    await bot.close();
  }
}

/** Somebody at this terminal is asked here; without a terminal the session is parked at once, to be resumed. */
function askingHere({ json }: RunFlags): HostAsking {
  const terminal = processTerminal(json ?? false);
  return terminal ? { terminal } : { parkAfterMs: 0 };
}

async function resume(session: string, flags: ResumeFlags, output: Output): Promise<number> {
  const [{ openHost }, { resumeSession }] = await Promise.all([
    import('./cli/open-host.ts'),
    import('./cli/resume-session.ts'),
  ]);
  const value = readAnswerFlags(flags);
  const signal = interruptionOf(output);
  const host = await openHost(process.env, output.log);
  const handled = await resumeSession(
    { session, value },
    { ...host, inputs: {}, say: output.say, signal, asking: askingHere(flags) },
  ).finally(() => host.bot.close());
  output.result(handled.map(toJson));
  return exitCodeOf(handled);
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
  if (command === 'ask' && text.trim() === '') {
    throw new DshError('The question is empty.', 'USAGE', 'Write dsh ask <URL> and what you want to know.');
  }
  const inputs = flags.model === undefined ? {} : { model: checkModelFlag(flags.model) };
  const signal = interruptionOf(output);
  const host = await openHost(process.env, output.log);
  const call = { command, url, text, dryRun: flags.dryRun ?? false };
  const handled = await runOnSubject(call, { ...host, inputs, say: output.say, signal, asking: askingHere(flags) })
    .catch((error: unknown) => {
      throw signal.aborted ? interrupted(error) : error;
    })
    .finally(() => host.bot.close());
  output.result(handled.map(toJson));
  if (flags.sarif !== undefined) await writeSarifFor(handled, flags.sarif);
  return exitCodeOf(handled);
}

async function writeSarifFor(handled: readonly Handled[], file: string): Promise<void> {
  const [{ writeSarif }, { readIdentity }] = await Promise.all([
    import('./cli/write-sarif.ts'),
    import('./cli/identity.ts'),
  ]);
  await writeSarif(
    handled.map(({ outcome }) => outcome),
    file,
    readIdentity().version,
  );
}

function interrupted(cause: unknown): DshError {
  return new DshError('Interrupted before a turn began.', 'INTERRUPTED', 'Run it again to start over.', { cause });
}

async function serve(output: Output): Promise<number> {
  const [{ openHost }, { serveFromEnvironment }] = await Promise.all([
    import('./cli/open-host.ts'),
    import('./cli/serve.ts'),
  ]);
  const host = await openHost(process.env, output.log);
  await serveFromEnvironment(host, output, interruptionOf(output)).finally(() => host.bot.close());
  return EXIT.done;
}

async function demo(live: boolean, output: Output): Promise<number> {
  const { runDemo } = await import('./cli/demo.ts');
  const signal = interruptionOf(output);
  const result = await runDemo({ live, say: output.say, variables: process.env, signal });
  output.result(result);
  return demoExitCode(result, signal.aborted);
}

function toJson({ status, why, outcome, problem }: Handled) {
  return { status, ...(why && { why }), ...(outcome && { ...outcome }), ...(problem && { problem }) };
}

function outputFor(json: boolean): Output {
  return new Output({ json, variables: process.env, stdout: process.stdout, stderr: process.stderr });
}

/** A second Ctrl-C leaves no time for a result. */
function interruptionOf(output: Output): AbortSignal {
  return interruption(() => output.finish(EXIT.interrupted));
}
