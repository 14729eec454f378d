import type { SkillCandidate, SkillDefinition } from './types.ts';

const RUNTIME_RANK = 250;

/** Skills that the process itself brings; between those of a project and those of its users. */
export class RuntimeSkills {
  readonly name = 'runtime';
  readonly #skills = new Map<string, SkillDefinition>();

  has(name: string): boolean {
    return this.#skills.has(name);
  }

  /** Returns what takes it out again. */
  add(skill: SkillDefinition): () => void {
    this.#skills.set(skill.name, skill);
    return () => void this.#skills.delete(skill.name);
  }

  *offers(): Iterable<SkillCandidate> {
    for (const { content: _content, ...skill } of this.#skills.values()) {
      yield { ...skill, rank: RUNTIME_RANK, locator: undefined };
    }
  }

  readonly get = async ({ name }: Pick<SkillCandidate, 'name'>): Promise<SkillDefinition | undefined> =>
    this.#skills.get(name);
}
