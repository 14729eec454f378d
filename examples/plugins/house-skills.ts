/**
 * Skills: instructions that the model loads when a task is about them. It sees name and description of each, and asks for
 * the text with the tool `skill`.
 *
 * In a bot: `createBot({ …, plugins: [houseSkills(textOf)] })`. A repository hides one by a skill of the same name in
 * `.dsh/skills`.
 */
import type { Plugin } from 'dsh-github/kernel';
import type { SkillCandidate } from 'dsh-github/skills';

const NAMES = ['api-review', 'database-change'] as const;
type Name = (typeof NAMES)[number];

const DESCRIPTIONS: Readonly<Record<Name, string>> = {
  'api-review': 'What a change of the public API has to keep, and how it is announced.',
  'database-change': 'How a change of a table is made so that the old version still runs beside it.',
};

/** `textOf` fetches the text of a skill, for example from a wiki; undefined where the page is gone. */
export function houseSkills(textOf: (name: string, signal?: AbortSignal) => Promise<string | undefined>): Plugin<void> {
  return {
    name: 'house-skills',
    inject: ['skills'],
    apply(ctx) {
      // A text that is known from the start needs no provider.
      ctx.skills.register({
        name: 'commit-messages',
        description: 'How commit messages are written here.',
        source: 'runtime',
        content: 'One line of at most 60 characters that says what changes for the user.',
      });
      // Texts from elsewhere do: names and descriptions now, a text when it is asked for.
      ctx.skills.registerProvider({
        name: 'house',
        list: async () => NAMES.map((name) => summaryOf(name)),
        get: async ({ rank: _rank, locator: _locator, ...skill }, { signal }) => {
          const content = await textOf(skill.name, signal);
          return content === undefined ? undefined : { ...skill, content };
        },
      });
    },
  };
}

/** A rank above 200 leaves a repository's own skills the last word. */
function summaryOf(name: Name): SkillCandidate {
  return { name, description: DESCRIPTIONS[name], source: 'house', provider: 'house', rank: 300, locator: name };
}
