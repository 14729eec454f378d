import { z } from 'zod';
import { cleanText } from '../markdown/clean-text.ts';

const line = z.number().int().positive();
const text = () => z.string().overwrite(cleanText);

export const SEVERITIES = ['blocker', 'major', 'minor', 'nit'] as const;
export const EVIDENCE = ['ran', 'traced', 'rule'] as const;

/** One finding of a review, as the model states it (R3). Lines are 1-based and inclusive. */
export const Finding = z
  .object({
    path: z
      .string()
      .overwrite((path) => path.toWellFormed().replace(/^(\.\/)+/, ''))
      .min(1)
      .max(4_096),
    side: z.enum(['LEFT', 'RIGHT']),
    startLine: line,
    endLine: line,
    severity: z.enum(SEVERITIES),
    confidence: z.number().min(0).max(1),
    title: text().trim().min(1).max(120, 'say what goes wrong in at most 80 characters'),
    body: text().trim().min(1).max(8_000, 'at most 80 words'),
    /** The input, state or order of events, and the wrong outcome. */
    scenario: text()
      .trim()
      .min(1, 'name the input, state or order of events, and the wrong outcome')
      .max(2_000, 'at most a few sentences'),
    /** How it is known: seen when run, read hop by hop, or against a written rule of the repository. */
    evidence: z.enum(EVIDENCE),
    proof: text()
      .trim()
      .min(1, 'give the command and what it showed, the chain of path:line, or the rule with its path')
      .max(4_000, 'at most a few lines'),
    code: z.string().max(20_000).optional(),
    suggestion: z
      .string()
      .overwrite((suggestion) => suggestion.toWellFormed())
      .max(20_000)
      .optional(),
  })
  .transform((finding) =>
    finding.startLine <= finding.endLine
      ? finding
      : { ...finding, startLine: finding.endLine, endLine: finding.startLine },
  );
export type Finding = z.infer<typeof Finding>;
