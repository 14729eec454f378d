import type { Ending } from '../../../src/publish/progress/progress.ts';
import type { Draw, Progress, Surface } from '../../../src/publish/progress/surface.ts';

/** Keeps what a job tells: its lines, and the comment as it stood at the end. */
export class RecordingSurface implements Surface {
  readonly lines: string[] = [];
  /** The comment as it was drawn at each change. */
  readonly drawn: string[] = [];
  ending: Ending | undefined;
  body = '';

  async accepted(): Promise<void> {}
  async withdrawn(): Promise<void> {}
  async refused(): Promise<void> {}
  async replied(): Promise<void> {}
  async counted(): Promise<void> {}

  async openProgress(_turn: unknown, _job: unknown, draw: Draw): Promise<Progress> {
    return {
      changed: (line) => {
        if (line) this.lines.push(line);
        this.drawn.push(draw());
      },
      end: async (ending) => {
        this.ending = ending;
        this.body = draw(ending);
      },
      leave: () => {},
    };
  }
}
