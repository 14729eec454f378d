import { Command, CommanderError } from 'commander';
import { EXIT } from '../exit-code.ts';
import { printable } from '../printable.ts';
import { addHostCommands } from './host-commands.ts';
import { outputFor } from './run-command.ts';
import { addSessionCommands } from './session-commands.ts';
import { addSubjectCommands } from './subject-commands.ts';

/** The command line, of `process.argv`'s shape. What a command needs is imported when it runs: help and mistakes are quick. */
export async function runProgram(argv: readonly string[]): Promise<void> {
  const isJson = wantsJson(argv);
  const program = makeProgram(isJson);
  try {
    await program.parseAsync(argv);
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    const isHelp = error.code === 'commander.helpDisplayed' || error.code === 'commander.help';
    const exitCode = isHelp ? EXIT.done : EXIT.usage;
    process.exitCode = exitCode;
    const hint = 'Write `dsh --help`, or `--help` after a command, to see what it takes.';
    outputFor(isJson).finish(exitCode, isHelp ? undefined : { code: 'USAGE', message: error.message, hint });
  }
}

function makeProgram(isJson: boolean): Command {
  const program = new Command('dsh')
    .description('DeepSeek Harness for GitHub: fixes issues and reviews pull requests')
    .showHelpAfterError()
    .configureOutput({
      writeOut: (text) => (isJson ? process.stderr : process.stdout).write(text),
      writeErr: (text) => process.stderr.write(printable(text)),
    })
    .exitOverride();
  addSubjectCommands(program);
  addHostCommands(program);
  addSessionCommands(program);
  return program;
}

/** Known before the arguments are parsed: they may be wrong. What stands after `--` is text. */
function wantsJson(argv: readonly string[]): boolean {
  const [own = ''] = argv.slice(2).join('\n').split(/^--$/m);
  return own.split('\n').includes('--json');
}
