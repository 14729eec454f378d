import type { z } from 'zod';
import { HarnessError } from '../harness/llm/errors.ts';
import { defineTool } from '../harness/tools/define-tool.ts';
import type { ToolDefinition } from '../harness/tools/types.ts';
import { Finding } from '../publish/finding.ts';

/** Collects findings; each is checked here and placed on the diff when the review is published. */
export function reportFindingTool(report: (finding: Finding) => void): ToolDefinition {
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
      code: { type: 'string', description: 'The lines as they stand in the head; needed for a suggestion.' },
      suggestion: { type: 'string', description: 'Replacement of exactly those lines.' },
    },
    isConcurrencySafe: () => true,
    execute: async (args) => {
      const parsed = Finding.safeParse(args);
      if (!parsed.success) throw invalid(parsed.error);
      report(parsed.data);
      return [{ type: 'text', text: `Noted: ${parsed.data.title}` }];
    },
  });
}

function invalid(error: z.ZodError): HarnessError {
  const problems = error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`).join('; ');
  return new HarnessError(`${problems} — report the finding again with these fields mended`, 'INVALID_FINDING');
}
