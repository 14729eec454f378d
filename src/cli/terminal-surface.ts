import type { Ending } from '../publish/progress/progress.ts';
import type {
  Draw,
  JobIdentity,
  Progress,
  Refusal,
  Reply,
  Steering,
  Surface,
  Turn,
} from '../publish/progress/surface.ts';

/** Tells a job's story as plain lines; nothing is written on GitHub but the work itself. */
export class TerminalSurface implements Surface {
  readonly #say: (line: string) => void;

  constructor(say: (line: string) => void) {
    this.#say = say;
  }

  async accepted(taken: Turn | Steering): Promise<void> {
    const { reading } = taken;
    this.#say(
      `${taken.kind === 'turn' ? taken.job : 'say'} on ${reading.repo.owner}/${reading.repo.repo}#${reading.subject.number}`,
    );
  }

  async withdrawn({ job }: Turn): Promise<void> {
    this.#say(`${job} will not begin`);
  }

  async refused({ why, reading }: Refusal): Promise<void> {
    this.#say(`Refused for ${reading.actor.login}: ${REFUSALS[why]}`);
  }

  async replied({ text }: Reply): Promise<void> {
    this.#say(text);
  }

  async counted(): Promise<void> {}

  async openProgress(_turn: Turn, { session }: JobIdentity, _draw: Draw): Promise<Progress> {
    this.#say(`session ${session}`);
    return {
      changed: (line) => {
        if (line) this.#say(`  ${line}`);
      },
      end: async (ending) => this.#end(ending, session),
      leave: () => {},
    };
  }

  #end(ending: Ending, session: string): void {
    if (ending.state === 'waiting') this.#say(`It waits for an answer; then: dsh resume ${session}`);
    for (const part of ending.parts) this.#say(part.kind === 'folded' ? part.text : part.text.replaceAll('**', ''));
  }
}

const REFUSALS: Record<Refusal['why'], string> = {
  'no-permission': 'this needs write permission on the repository.',
  'could-not-check': 'GitHub did not say what this account may do; try again in a minute.',
  'not-a-pull-request': 'only a pull request can be reviewed.',
  'too-many-commands': 'too many commands within some minutes.',
};
