import type { GenerateOptions } from '../../../src/harness/llm/types.ts';
import { REFUTER } from '../../../src/bot/prompts/refuter.ts';
import { GROUP_READER } from '../../../src/bot/prompts/group-reader.ts';
import { ScriptedModel, calls } from '../../support/scripted-model.ts';
import type { ScriptedReply } from '../../support/scripted-model.ts';

export type Role = 'reviewer' | 'refuter' | 'reader';

/** Given the text of its task and which of its requests this is, from 0. */
export type Answer = (task: string, step: number) => ScriptedReply;

/** A model whose children answer by their role, in whatever order their requests come. */
export class RoleModel extends ScriptedModel {
  readonly byRole: Record<Role, GenerateOptions[]> = { reviewer: [], refuter: [], reader: [] };
  readonly #script: ScriptedReply[];
  readonly #answers: Partial<Record<Role, Answer>>;

  constructor(script: readonly ScriptedReply[], answers: Partial<Record<Role, Answer>> = {}) {
    super();
    this.#script = [...script];
    this.#answers = answers;
  }

  override async *stream(options: GenerateOptions) {
    const role = roleOf(options);
    this.byRole[role].push(options);
    this.add(role === 'reviewer' ? this.#next() : this.#answer(role, options));
    yield* super.stream(options);
  }

  #next(): ScriptedReply {
    const next = this.#script.shift();
    if (!next) throw new Error('the reviewer was asked once too often');
    return next;
  }

  #answer(role: Role, options: GenerateOptions): ScriptedReply {
    const answer = this.#answers[role] ?? (() => UNSURE);
    const step = options.messages.filter((message) => message.role === 'assistant').length;
    return answer(textOf(options), step);
  }
}

export function refuter(
  verdict: 'refuted' | 'confirmed' | 'unclear',
  proof: string,
  reason = 'It is so.',
): ScriptedReply {
  return calls('structured_output', { verdict, reason, proof });
}

const UNSURE = refuter('unclear', 'none');

function roleOf({ system = '' }: GenerateOptions): Role {
  if (system.includes(REFUTER.slice(0, 40))) return 'refuter';
  return system.includes(GROUP_READER.slice(0, 60)) ? 'reader' : 'reviewer';
}

export function textOf({ messages }: GenerateOptions): string {
  return messages
    .flatMap(({ content }) => content.map((block) => (block.type === 'text' ? block.text : '')))
    .join('\n');
}
