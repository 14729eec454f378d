import { InvalidArgumentError, Option } from 'commander';
import type { Command } from 'commander';
import type { ExportFlags } from '../sessions/export-session.ts';
import type { SearchFlags } from '../sessions/search-sessions.ts';
import { runCommand } from './run-command.ts';

interface Flags {
  readonly json?: boolean;
}

/** What looks at stored sessions. */
export function addSessionCommands(program: Command): void {
  const sessions = program.command('sessions').description('look at stored sessions');
  addList(sessions);
  addShow(sessions);
  addSearch(sessions);
  addExport(sessions);
  addReplay(program);
}

function addList(sessions: Command): void {
  sessions
    .command('list', { isDefault: true })
    .description('the newest sessions: what they were about, how they ended')
    .option('--limit <count>', 'how many to show', readCount, 30)
    .option('--children', 'also those of child agents', false)
    .option('--json', 'print one JSON document')
    .action((flags: Flags & { limit: number; children: boolean }) =>
      runCommand(flags, async (output) =>
        (await import('../sessions/list-sessions.ts')).listSessions(flags, process.env, output),
      ),
    );
}

function addShow(sessions: Command): void {
  sessions
    .command('show <session>')
    .description('what was asked, said and run')
    .option('--events', 'every event of the log instead, by number and type', false)
    .option('--json', 'print one JSON document')
    .action((id: string, flags: Flags & { events: boolean }) =>
      runCommand(flags, async (output) =>
        (await import('../sessions/show-session.ts')).showSession(id, flags, process.env, output),
      ),
    );
}

function addSearch(sessions: Command): void {
  sessions
    .command('search <words...>')
    .description('sessions in which a phrase stands, best first')
    .option('--session <session>', 'the places in one session')
    .option('--literal', 'find parts of words, too, and any script; slower', false)
    .option('--type <event>', 'only in events of this type, such as tool/result')
    .option('--since <date>', 'only what is not older')
    .option('--limit <count>', 'how many to show, at most 100', readCount, 20)
    .option('--cursor <cursor>', 'go on where an earlier search ended')
    .option('--json', 'print one JSON document')
    .action((words: string[], flags: Flags & SearchFlags) =>
      runCommand(flags, async (output) =>
        (await import('../sessions/search-sessions.ts')).searchSessions(words.join(' '), flags, process.env, output),
      ),
    );
}

function addExport(sessions: Command): void {
  sessions
    .command('export <session>')
    .description('the raw log, one event a line, or what people read')
    .addOption(new Option('--format <format>', 'what to write').choices(['jsonl', 'md', 'html']).default('jsonl'))
    .option('--output <file>', 'a new file to write it to')
    .option('--json', 'print one JSON document; needs --output')
    .action((id: string, flags: Flags & ExportFlags) =>
      runCommand(flags, async (output) =>
        (await import('../sessions/export-session.ts')).exportSession(id, flags, process.env, output),
      ),
    );
}

function addReplay(program: Command): void {
  program
    .command('replay <session-or-file>')
    .description('rebuild every request of a session from its log, and prove that it is the one that was sent')
    .option('--rerun', 'run the turns again, with the recorded answers and tool results')
    .option('--json', 'print one JSON document')
    .action((target: string, flags: Flags & { rerun?: boolean }) =>
      runCommand(flags, async (output) =>
        (await import('../replay.ts')).replaySession(target, { rerun: flags.rerun ?? false }, process.env, output),
      ),
    );
}

function readCount(text: string): number {
  if (/^[1-9]\d{0,5}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It is a whole number of at least 1.');
}
