import { parseDocument } from 'yaml';
import * as z from 'zod';
import { HarnessError } from '../../harness/llm/errors.ts';
import { isSkillName } from './check-skill.ts';

const filled = z.string().refine((text) => text.trim() !== '', 'must not be empty');

const Frontmatter = z.looseObject({
  name: filled.refine(isSkillName, 'must be words of a-z and 0-9 joined by hyphens'),
  description: filled,
  whenToUse: z.string().optional(),
  disableModelInvocation: z.boolean().optional(),
  metadata: z.record(z.string(), z.unknown()).optional(),
});

export interface SkillFile {
  readonly name: string;
  readonly description: string;
  readonly whenToUse?: string;
  readonly disableModelInvocation?: boolean;
  readonly metadata?: Readonly<Record<string, unknown>>;
  /** What stands below the frontmatter. */
  readonly content: string;
}

const FENCE = /^---\r?$/;

/** Frontmatter and body of a skill's file. Throws `SKILL_FILE` that says what is wrong with it. */
export function parseSkillFile(text: string): SkillFile {
  const lines = text.split('\n');
  if (!FENCE.test(lines[0]!)) throw wrong('its first line is not ---');
  const end = lines.findIndex((line, at) => at > 0 && FENCE.test(line));
  if (end < 0) throw wrong('its frontmatter is not closed by a line ---');
  const parsed = Frontmatter.safeParse(parseYaml(lines.slice(1, end).join('\n')));
  if (!parsed.success) throw wrong(z.prettifyError(parsed.error));
  const { name, description, whenToUse, disableModelInvocation, metadata } = parsed.data;
  return {
    ...{ name, description },
    ...(whenToUse !== undefined && { whenToUse }),
    ...(disableModelInvocation !== undefined && { disableModelInvocation }),
    ...(metadata !== undefined && { metadata }),
    content: lines
      .slice(end + 1)
      .join('\n')
      .trim(),
  };
}

function parseYaml(text: string): unknown {
  try {
    const document = parseDocument(text);
    if (document.errors[0]) throw document.errors[0];
    return document.toJS();
  } catch (cause) {
    throw wrong('its frontmatter is no YAML', cause);
  }
}

function wrong(why: string, cause?: unknown): HarnessError {
  return new HarnessError(`not a skill: ${why}`, 'SKILL_FILE', { cause });
}
