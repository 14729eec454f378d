import type { Command } from 'commander';
import type { ResumeFlags } from '../commands/resume.ts';
import type { SubjectFlags } from '../commands/on-subject.ts';
import { runCommand } from './run-command.ts';

const COMMANDS = [
  ['fix', 'change the code for an issue, or on a pull request', '<issue-or-pull-request-URL>', '[text...]'],
  ['review', 'review a pull request', '<pull-request-URL>', '[paths...]'],
  ['ask', 'answer a question from the code', '<issue-or-pull-request-URL>', '<question...>'],
] as const;

/** What starts a turn, or goes on with one. */
export function addSubjectCommands(program: Command): void {
  for (const [name, what, subject, text] of COMMANDS) {
    const command = program
      .command(`${name} ${subject} ${text}`)
      .description(`${what}, with GITHUB_TOKEN's owner asking`)
      .option('--dry-run', 'write nothing; print what would be written')
      .option('--model <provider/model>', 'the model to use')
      .option('--json', 'print one JSON document')
      .action((url: string, words: string[], flags: SubjectFlags & { local?: boolean }) =>
        runCommand(flags, async (output) =>
          flags.local
            ? (await import('../commands/on-checkout.ts')).onCheckout([url, ...words].join(' '), flags, output)
            : (await import('../commands/on-subject.ts')).onSubject(name, url, words.join(' '), flags, output),
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
    .action((session: string, flags: ResumeFlags) =>
      runCommand(flags, async (output) => (await import('../commands/resume.ts')).resume(session, flags, output)),
    );
}
