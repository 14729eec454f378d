import { HarnessError } from '../../harness/llm/errors.ts';
import { defineTool } from '../../harness/tools/define-tool.ts';
import type { ToolDefinition } from '../../harness/tools/types.ts';
import type { SessionEvent } from '../../harness/session/types.ts';
import { sinceJobBegan } from '../job/since-job-began.ts';
import { standsAlone } from './stands-alone.ts';

export interface SubmittedResult {
  readonly outcome: 'fixed' | 'partial' | 'not_fixed' | 'nothing_to_do';
  readonly title: string;
  readonly summary: string;
  readonly cause: string;
  readonly verification: readonly { command: string; outcome: string }[];
  readonly notes: readonly string[];
}

const OUTCOMES = ['fixed', 'partial', 'not_fixed', 'nothing_to_do'];

export interface Submission {
  /** What the model is to look at before the result counts; undefined where it counts. */
  review(result: SubmittedResult, signal: AbortSignal): Promise<string | undefined>;
  accept(result: SubmittedResult): void;
}

/**
 * The tool that ends a fix (PR51, PR52). Entries of `verification` that name a command this job never ran are dropped
 * and named. `accept` receives what was submitted; a later call replaces an earlier one.
 */
export function submitResultTool({ review, accept }: Submission): ToolDefinition {
  return defineTool({
    name: 'submit_result',
    description:
      'Ends the job and states its result; call it alone in its message, once the work is done and checked, or when it cannot be done. The host then tests and publishes it. A refusal says what is missing.',
    parameters: {
      outcome: { type: 'string', required: true, enum: OUTCOMES, description: 'How the job ended.' },
      title: {
        type: 'string',
        required: true,
        description: 'Title of the pull request, at most 72 characters, in the habit of the repository.',
      },
      summary: { type: 'string', required: true, description: 'What changes for whom and why, at most 200 words.' },
      cause: { type: 'string', required: true, description: 'The cause, with path:line.' },
      verification: {
        type: 'array',
        required: true,
        description: 'The commands you ran as checks.',
        items: {
          type: 'object',
          properties: {
            command: { type: 'string', required: true, description: 'The command as it was run.' },
            outcome: {
              type: 'string',
              required: true,
              enum: ['passed', 'failed', 'not_run'],
            },
          },
        },
      },
      notes: {
        type: 'array',
        required: true,
        description: 'At most five risks, choices or leftovers; may be empty.',
        items: { type: 'string' },
      },
    },
    execute: async (args, exec) => {
      const events = exec.agent?.session.events ?? [];
      if (!standsAlone(events, exec.callId))
        throw refused(
          'another call stands in the same message',
          'call submit_result alone, after the other calls have returned',
        );
      if (args.title.trim() === '' || [...args.title].length > 72) {
        throw refused(`title has ${[...args.title].length} characters`, 'give a title of 1 to 72 characters');
      }
      if (args.summary.trim() === '') throw refused('summary is empty', 'say what changes for whom and why');
      const ran = commandsRun(events);
      const kept = args.verification.filter((entry) => entry.outcome === 'not_run' || ran.has(entry.command.trim()));
      const dropped = args.verification.filter((entry) => !kept.includes(entry)).map((entry) => entry.command);
      const result = {
        ...args,
        outcome: args.outcome as SubmittedResult['outcome'],
        verification: kept,
        notes: args.notes.slice(0, 5),
      };
      const lookAgain = await review(result, exec.signal);
      if (lookAgain !== undefined) return [{ type: 'text', text: lookAgain }];
      accept(result);
      const note =
        dropped.length > 0 ? ` Left out of the report, because this job never ran them: ${dropped.join('; ')}.` : '';
      return [{ type: 'text', text: `Accepted.${note}` }];
    },
  });
}

function refused(what: string, next: string): HarnessError {
  return new HarnessError(`${what} — ${next}`, 'SUBMIT_REFUSED');
}

/** Of this job only, also where it waited for a person between: an earlier one ran its commands on another tree. */
function commandsRun(events: readonly SessionEvent[]): Set<string> {
  const commands = new Set<string>();
  for (const event of sinceJobBegan(events)) {
    if (event.type === 'tool/call' && event.data.name === 'bash') commands.add(commandOf(event.data.arguments));
  }
  return commands;
}

function commandOf(rawArguments: string): string {
  try {
    const command = (JSON.parse(rawArguments) as { command?: unknown } | null)?.command;
    return typeof command === 'string' ? command.trim() : '';
  } catch {
    return ''; // a call with broken arguments ran nothing
  }
}
