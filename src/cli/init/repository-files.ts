import { schemaUrl } from '../../config/config-schema.ts';

export interface RepositoryFile {
  /** Below the root of the repository. */
  readonly path: string;
  readonly text: string;
}

const ACTION = 'dsh-github/dsh-github';

/** What `dsh init` writes, for one version of this program. Pure. */
export function repositoryFiles(version: string): RepositoryFile[] {
  return [
    { path: '.github/dsh.yml', text: settings(version) },
    { path: '.github/workflows/dsh.yml', text: workflow(version) },
  ];
}

function settings(version: string): string {
  return `# yaml-language-server: $schema=${schemaUrl(version)}
# Every key has a default, and an unknown one is an error. All keys: docs/configuration.md of dsh.

# What has to pass before a pull request is not a draft. Without it: what package.json, Makefile, pytest, go.mod or
# Cargo.toml define.
# verify: { commands: [npm test] }

# Puts dependencies into the tree before the work; has the network of networkHosts.
# setup: { commands: [npm ci] }

# When pull requests are reviewed without being asked: opened, every-push or off.
# review: { auto: opened, ignore: ['**/*.lock'] }

# What one request may take at most.
# budget: { turn: { cost: 5, minutes: 60 } }
`;
}

function workflow(version: string): string {
  const number = 'github.event.issue.number || github.event.pull_request.number';
  return `name: dsh
on:
  issue_comment: { types: [created, edited] }
  issues: { types: [opened, labeled] }
  pull_request: { types: [opened, reopened, ready_for_review, synchronize] }
  pull_request_review: { types: [submitted] }
  pull_request_review_comment: { types: [created] }
# One at a time for each issue and pull request. Without the queue GitHub drops the run that waits when another comes; leave
# that line out where a GitHub Enterprise Server does not know it.
concurrency:
  group: dsh-\${{ ${number} }}
  cancel-in-progress: false
  queue: max
permissions:
  contents: write # branches and commits
  issues: write # comments and reactions
  pull-requests: write # pull requests and reviews
  checks: write # the check run of a review
  actions: read # what an earlier run left behind
jobs:
  dsh:
    # A comment that is not for dsh takes no runner.
    if: \${{ !startsWith(github.event_name, 'issue_comment') || contains(github.event.comment.body, 'dsh') }}
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v5
        with: { repository: ${ACTION}, ref: v${version}, path: .dsh }
      - run: docker build --target sandbox -t dsh-sandbox:local .dsh
      - uses: ${ACTION}@v${version}
        with:
          api-key: \${{ secrets.DEEPSEEK_API_KEY }}
`;
}
