import { HarnessError } from '../../harness/llm/errors.ts';
import type { SkillDefinition, SkillResourceBase, SkillSummary } from './types.ts';

/** The catalogue: names and descriptions, and how to get the rest. */
export function catalogueText(skills: readonly SkillSummary[], maxDescription: number): string {
  const lines = skills.map(({ name, description }) => `- ${name}: ${describe(description, maxDescription)}`);
  return `<system-reminder>
These skills hold instructions for particular kinds of work. Where one fits the task, load its full text with the skill tool before you act on it: the description alone is not enough.
<available_skills>
${lines.join('\n')}
</available_skills>
</system-reminder>`;
}

/** Cut before it is escaped, so that no escape is cut. */
function describe(description: string, max: number): string {
  const points = [...description.replace(/\s+/g, ' ').trim()];
  return escaped(points.length > max ? `${points.slice(0, max - 3).join('')}...` : points.join(''));
}

/** A loaded skill as the model reads it. Throws `SKILL_RESOURCE_KIND`. */
export function skillText({ name, provider, resourceBase, content }: SkillDefinition): string {
  return `<skill_content name="${escaped(name)}">
<skill_resources>
${resourceLine(resourceBase, provider)}
</skill_resources>
<skill_instructions>
${content}
</skill_instructions>
</skill_content>`;
}

function resourceLine(base: SkillResourceBase | undefined, provider: string): string {
  switch (base?.kind) {
    case undefined:
      return `Its resources, if it has any, are managed by the provider ${escaped(provider)}.`;
    case 'directory':
      return `Paths in the instructions are relative to the folder ${escaped(base.path)}.`;
    case 'url':
      return `Paths in the instructions are relative to ${escaped(base.url)}.`;
    case 'opaque':
      return escaped(base.description);
    default:
      throw new HarnessError(`unknown kind of skill resources: ${JSON.stringify(base)}`, 'SKILL_RESOURCE_KIND');
  }
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
