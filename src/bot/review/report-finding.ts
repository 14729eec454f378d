import type { z } from 'zod';
import { HarnessError } from '../../harness/llm/errors.ts';
import { defineTool } from '../../harness/tools/define-tool.ts';
import type { ToolDefinition } from '../../harness/tools/types.ts';
import { missingInFinding } from '../../publish/review/check-finding.ts';
import type { HeadFiles } from '../../publish/review/check-finding.ts';
import { Finding } from '../../publish/review/finding.ts';
import { knownPath } from '../../publish/review/known-path.ts';

/** Collects findings; each is checked here (R3, PR41) and placed on the diff when the review is published. */
export function reportFindingTool(head: HeadFiles, report: (finding: Finding) => void): ToolDefinition {
  return defineTool({
    name: 'report_finding',
    description:
      'Reports one defect of the change under review; call it once for each. The host places it on the diff and posts all findings as one review at the end. `suggestion` is the complete replacement of the lines startLine to endLine, and needs `code`: those lines as they stand in the head.',
    parameters: {
      path: { type: 'string', required: true, description: 'The file, as the diff names it after the change.' },
      side: {
        type: 'string',
        required: true,
        enum: ['LEFT', 'RIGHT'],
        description: 'RIGHT for lines of the head, LEFT for removed lines.',
      },
      startLine: { type: 'number', required: true, description: 'First line.' },
      endLine: { type: 'number', required: true, description: 'Last line; the same for a single line.' },
      severity: {
        type: 'string',
        required: true,
        enum: ['blocker', 'major', 'minor', 'nit'],
        description: 'The consequence in the worst realistic case.',
      },
      confidence: { type: 'number', required: true, description: '0 to 1, read off the evidence.' },
      title: { type: 'string', required: true, description: 'What goes wrong, at most 80 characters.' },
      body: {
        type: 'string',
        required: true,
        description: 'When, what happens, why here, and the way out; at most 80 words.',
      },
      scenario: {
        type: 'string',
        required: true,
        description: 'The input, state or order of events, with its value, and the wrong outcome.',
      },
      evidence: {
        type: 'string',
        required: true,
        enum: ['ran', 'traced', 'rule'],
        description: 'How you know: ran it, read every hop, or a written rule of the repository.',
      },
      proof: {
        type: 'string',
        required: true,
        description:
          'ran: the command in backticks and what it showed; traced: the chain of path:line from input to harm; rule: the rule quoted, with its path.',
      },
      code: { type: 'string', description: 'The lines as they stand in the head; needed for a suggestion.' },
      suggestion: { type: 'string', description: 'Replacement of exactly those lines.' },
    },
    isConcurrencySafe: () => true,
    execute: async (args) => {
      const parsed = Finding.safeParse(args);
      if (!parsed.success) throw invalid(problemsOf(parsed.error), 'report the finding again with these fields mended');
      const missing = missingInFinding(parsed.data, head) ?? missingInNit(parsed.data);
      if (missing !== undefined) throw invalid(missing, 'or leave the finding out');
      report({ ...parsed.data, path: knownPath(parsed.data.path, head) });
      return [{ type: 'text', text: `Noted: ${parsed.data.title}` }];
    },
  });
}

function missingInNit({ severity, evidence }: Finding): string | undefined {
  if (severity !== 'nit' || evidence === 'rule') return undefined;
  return 'severity: a nit breaks a written rule of this repository — quote the rule as evidence';
}

function problemsOf(error: z.ZodError): string {
  return error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`).join('; ');
}

function invalid(problems: string, next: string): HarnessError {
  return new HarnessError(`${problems} — ${next}`, 'INVALID_FINDING');
}
