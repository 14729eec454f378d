import type { Command } from 'commander';
import { runCommand } from './run-command.ts';

interface Flags {
  readonly json?: boolean;
}

/** The other hosts, and what gets them going. */
export function addHostCommands(program: Command): void {
  program
    .command('serve')
    .description('run the GitHub App server')
    .action(() => runCommand({}, async (output) => (await import('../commands/serve.ts')).serve(output)));
  program
    .command('action')
    .description('run as a step of a GitHub Action')
    .action(async () => {
      process.exitCode = await (await import('../../action.ts')).runAction(process.env);
    });
  program
    .command('demo')
    .description('the whole main job against a GitHub in this process, with a real sandbox')
    .option('--live', 'use the real model of DEEPSEEK_API_KEY or OPENAI_API_KEY')
    .option('--json', 'print one JSON document')
    .action((flags: Flags & { live?: boolean }) =>
      runCommand(flags, async (output) => (await import('../commands/demo.ts')).demo(flags.live ?? false, output)),
    );
  program
    .command('doctor')
    .description('check everything dsh stands on, and say how to mend what is wrong')
    .option('--json', 'print one JSON document')
    .action((flags: Flags) =>
      runCommand(flags, async (output) => (await import('../doctor/run-doctor.ts')).runDoctor(process.env, output)),
    );
  program
    .command('init')
    .description('write .github/dsh.yml and .github/workflows/dsh.yml; asks nothing, overwrites nothing')
    .option('--json', 'print one JSON document')
    .action((flags: Flags) =>
      runCommand(flags, async (output) => (await import('../init/run-init.ts')).runInit(process.cwd(), output)),
    );
}
