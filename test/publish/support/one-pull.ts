import type { Pull } from '../../../src/demo/github/records.ts';
import type { GitHub, GitHubOptions } from '../../../src/github/client.ts';
import type { DiffFile } from '../../../src/github/diff/types.ts';
import { readPullDiff } from '../../../src/github/pull-diff.ts';
import { Finding } from '../../../src/publish/review/finding.ts';
import { codeReader, keyFindings } from '../../../src/publish/review/key-findings.ts';
import { causeMarker, reviewMarker } from '../../../src/publish/markers.ts';
import { planReview } from '../../../src/publish/review/plan-review.ts';
import type { ReviewFacts } from '../../../src/publish/review/plan-review.ts';
import { publishReview } from '../../../src/publish/review/publish-review.ts';
import type { PublishedReview } from '../../../src/publish/review/publish-review.ts';
import { DemoGitHub, REPO } from '../../github/support/demo-github.ts';

const TEXT = Array.from({ length: 100 }, (_, at) => `const row${at + 1} = ${at + 1};`).join('\n');

export const found = (more: Partial<Finding> = {}): Finding =>
  Finding.parse({
    ...{ path: 'src/a.js', side: 'RIGHT', startLine: 1, endLine: 1, severity: 'major', confidence: 0.8 },
    ...{ title: 'It breaks', body: 'When x = 1, y.', scenario: 'x = 1', evidence: 'traced', proof: 'src/a.js:1' },
    ...more,
  });

/** A pull request of ada's that adds `src/a.js` with 100 lines, and everything a review of it needs. */
export class OnePull {
  readonly demo: DemoGitHub;
  readonly github: GitHub;
  readonly number: number;
  readonly headSha: string;
  readonly files: DiffFile[];

  static async open(options: Partial<GitHubOptions> = {}, by = 'ada'): Promise<OnePull> {
    const demo = await DemoGitHub.start();
    demo.server.addCollaborator('acme/shop', 'ada', 'write');
    const headSha = await demo.server.push('acme/shop', { by: 'ada', branch: 'f', files: { 'src/a.js': `${TEXT}\n` } });
    const { number } = await demo.server.openPull('acme/shop', { by, title: 'f', head: 'f', base: 'main' });
    const github = demo.connect(options);
    const { files } = await readPullDiff(github, REPO, number, async () => []);
    return new OnePull({ demo, github, number, headSha, files });
  }

  private constructor(parts: Pick<OnePull, 'demo' | 'github' | 'number' | 'headSha' | 'files'>) {
    this.demo = parts.demo;
    this.github = parts.github;
    this.number = parts.number;
    this.headSha = parts.headSha;
    this.files = parts.files;
  }

  get pull(): Pull {
    return this.demo.server.state.findRepository('acme/shop')!.issues.get(this.number)!.pull!;
  }

  publish(findings: readonly Finding[], more: Partial<ReviewFacts> = {}, files = this.files): Promise<PublishedReview> {
    const headFile = (path: string) => (path === 'src/a.js' ? `${TEXT}\n` : undefined);
    const keyed = keyFindings(findings, codeReader(files, headFile));
    const facts: ReviewFacts = {
      ...{ session: 'gh-1-1-1', cause: 'comment-1', headSha: this.headSha, files, headFile, verdict: 'A verdict.' },
      ...{ limits: [], attention: [], minConfidence: 0.5, maxComments: 15, blocking: false, approve: false },
      ...{
        earlier: [],
        fixedNow: new Set<string>(),
        reviewedHead: undefined,
        dismissed: false,
        isPart: false,
        changedMeanwhile: new Set<string>(),
      },
      ...{ refused: new Set<string>() },
      ...more,
    };
    const markers = [reviewMarker(facts.session, facts.headSha), causeMarker(facts.cause)];
    const planWithout = (refused: ReadonlySet<string>) => planReview(keyed, { ...facts, refused });
    const request = { number: this.number, planWithout, markers, ownLogin: 'dsh[bot]' };
    return publishReview(this.github, REPO, request, new AbortController().signal);
  }

  close(): Promise<void> {
    return this.demo.close();
  }
}
