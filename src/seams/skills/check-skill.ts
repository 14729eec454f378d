import { HarnessError } from '../../harness/llm/errors.ts';
import type { SkillCandidate, SkillDefinition, SkillSummary } from './types.ts';

const NAME = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;

export function isSkillName(name: string): boolean {
  return NAME.test(name);
}

/** What a provider listed. Throws `SKILL_INVALID`: a broken promise is not passed over. */
export function checkCandidates(listed: unknown, provider: string): readonly SkillCandidate[] {
  if (!Array.isArray(listed)) throw invalid(provider, 'its list is no array');
  for (const candidate of listed as unknown[]) {
    checkSummary(candidate, provider);
    if (!Number.isFinite((candidate as SkillCandidate).rank)) throw invalid(provider, 'a rank is no finite number');
    checkExtras(candidate as SkillCandidate, provider);
  }
  return listed as SkillCandidate[];
}

/** What a provider loaded. Throws `SKILL_INVALID`. */
export function checkDefinition(loaded: unknown, { name, provider }: SkillSummary): SkillDefinition {
  checkSummary(loaded, provider);
  const definition = loaded as SkillDefinition;
  if (definition.name !== name) throw invalid(provider, `asked for "${name}", it loaded "${definition.name}"`);
  if (typeof definition.content !== 'string') throw invalid(provider, `the content of "${name}" is no text`);
  checkExtras(definition, provider);
  return definition;
}

function checkSummary(value: unknown, provider: string): void {
  if (typeof value !== 'object' || value === null) throw invalid(provider, 'a skill is no object');
  const skill = value as Partial<Record<keyof SkillSummary, unknown>>;
  if (typeof skill.name !== 'string' || !isSkillName(skill.name)) {
    throw invalid(provider, `${JSON.stringify(skill.name)} is no name of a skill`);
  }
  const of = (what: string) => invalid(provider, `the ${what} of "${String(skill.name)}" is wrong`);
  if (typeof skill.description !== 'string' || skill.description.trim() === '') throw of('description');
  if (!isOptional(skill.whenToUse, 'string')) throw of('whenToUse');
  if (!isOptional(skill.disableModelInvocation, 'boolean')) throw of('disableModelInvocation');
  if (typeof skill.source !== 'string' || skill.source === '') throw of('source');
  if (skill.provider !== provider) throw of('provider');
  if (!isOptional(skill.resourceBase, 'object')) throw of('resourceBase');
}

function checkExtras({ name, path, metadata }: SkillCandidate | SkillDefinition, provider: string): void {
  if (!isOptional(path, 'string')) throw invalid(provider, `the path of "${name}" is wrong`);
  if (!isOptional(metadata, 'object')) throw invalid(provider, `the metadata of "${name}" is wrong`);
}

function isOptional(value: unknown, type: 'string' | 'boolean' | 'object'): boolean {
  return value === undefined || (typeof value === type && value !== null);
}

function invalid(provider: string, why: string): HarnessError {
  return new HarnessError(`skill provider "${provider}": ${why}`, 'SKILL_INVALID');
}
