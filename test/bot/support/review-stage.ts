import type { CheckRun, Pull, Thread } from '../../../src/demo/github/records.ts';
import type { TurnReading } from '../../../src/triggers/intake.ts';
import { JobBench, NAME } from './job-bench.ts';
import type { JobCall, JobRun } from './job-bench.ts';
import { RoleModel } from './role-model.ts';

export const FINDING = {
  path: 'src/price.js',
  side: 'RIGHT',
  startLine: 1,
  endLine: 1,
  severity: 'major',
  confidence: 0.8,
  title: 'The price is negative',
  body: 'For any order the sum is negative.',
  scenario: 'With price = -1 the sum of any order is below 0.',
  evidence: 'traced',
  proof: 'src/price.js:1 is exported and summed as it is.',
} as const;
export type Reported = { [K in keyof typeof FINDING]: (typeof FINDING)[K] extends number ? number : string };

export const finding = (more: Partial<Reported> & { code?: string; suggestion?: string } = {}) => ({
  ...FINDING,
  ...more,
});

/** One pull request at a time on the test GitHub, pushed to and reviewed again. */
export class ReviewStage {
  readonly bench: JobBench;
  #opened = 0;
  number = 0;

  static async start(files: Record<string, string>): Promise<ReviewStage> {
    return new ReviewStage(await JobBench.start(files));
  }

  private constructor(bench: JobBench) {
    this.bench = bench;
  }

  get branch(): string {
    return `change-${this.#opened}`;
  }

  async openPull(files: Record<string, string | null>, by = 'tom'): Promise<string> {
    this.#opened += 1;
    const head = await this.bench.github.push(NAME, { by, branch: this.branch, from: 'main', files });
    const fields = { by, title: 'Change the price', body: 'A new price.', head: this.branch, base: 'main' };
    ({ number: this.number } = await this.bench.github.openPull(NAME, fields));
    return head;
  }

  push(files: Record<string, string | null>, { by = 'tom', message = 'Change' } = {}): Promise<string> {
    return this.bench.github.push(NAME, { by, branch: this.branch, files, message });
  }

  async review(call: Partial<JobCall> = {}): Promise<JobRun & { roles: RoleModel }> {
    const roles = (call.model as RoleModel | undefined) ?? new RoleModel(call.script ?? []);
    const subject = { kind: 'pull', number: this.number } as const;
    const run = await this.bench.run({
      job: 'review',
      subject,
      script: [],
      request: 'Review it.',
      ...call,
      model: roles,
    });
    return { ...run, roles };
  }

  get pull(): Pull {
    return this.bench.github.state.findRepository(NAME)!.issues.get(this.number)!.pull!;
  }
  get threads(): Thread[] {
    return this.pull.threads;
  }
  /** Of our reviews; GitHub makes one without text for each reply. */
  get bodies(): string[] {
    return this.pull.reviews.map(({ body }) => body).filter(Boolean);
  }
  /** Of the head, oldest first. */
  checks(sha = this.pull.head.sha): CheckRun[] {
    return this.bench.github.state.findRepository(NAME)!.checkRuns.filter(({ suite }) => suite.headSha === sha);
  }
}

/** As the event of an opened pull request, and not as a command. */
export function automatically(headSha: string, author = { id: 9, login: 'tom', association: 'NONE' }) {
  return (reading: TurnReading): TurnReading => {
    const { repo, subject, delivery } = reading;
    const cause = `head-${headSha}`;
    const event = {
      kind: 'pull-request',
      action: 'opened',
      author,
      headSha,
      baseSha: headSha,
      fromFork: false,
    } as const;
    return { ...event, repo, subject, actor: author, cause, delivery } as TurnReading;
  };
}
