import { Octokit } from '@octokit/rest';
import { authorizeRequests } from './authorize-requests.ts';
import { systemClock, type Clock } from './clock.ts';
import { conditionalReads } from './conditional-reads.ts';
import { dryRun, type RecordedWrite } from './dry-run.ts';
import { paceRequests } from './pace-requests.ts';
import { requestHook, type RequestOptions } from './request-hook.ts';
import { RequestPacer } from './request-pacer.ts';
import { retryRequests } from './retry-requests.ts';
import { silentLog } from './silent-log.ts';
import { createTokenProvider, type GitHubAuth } from './token-provider.ts';

/** What the rest of the code needs of an Octokit: Probot's fits as well as ours. */
export type GitHub = Pick<Octokit, 'rest' | 'paginate' | 'request' | 'graphql'>;

export interface GitHubOptions {
  auth: GitHubAuth;
  /** Default `https://api.github.com`. */
  apiUrl?: string;
  userAgent?: string;
  fetch?: typeof fetch;
  log?: Record<'debug' | 'info' | 'warn' | 'error', (message: string) => unknown>;
  /** Given, no write leaves the process: each comes here instead. */
  dryRun?: (write: RecordedWrite) => void;
  /** Clients of one account share one, since GitHub counts per account. */
  pacer?: RequestPacer;
  clock?: Clock;
}

/** The one client every write to GitHub goes through. Its layers stand below from the wire outwards. */
export function createGitHub(options: GitHubOptions): GitHub {
  const { auth, apiUrl, userAgent = 'dsh', fetch, log = silentLog, clock = systemClock } = options;
  const pacer = options.pacer ?? new RequestPacer(clock);
  const octokit = new Octokit({ ...(apiUrl && { baseUrl: apiUrl }), userAgent, log, request: { fetch } });
  const parse = (request: RequestOptions) => octokit.request.endpoint.parse(request);

  const layers = [
    authorizeRequests(createTokenProvider(auth, { apiUrl, fetch, now: clock.now })),
    paceRequests(pacer),
    retryRequests(pacer, clock),
    conditionalReads((request) => parse(request).url),
    ...(options.dryRun ? [dryRun(options.dryRun, parse)] : []),
  ];
  octokit.hook.wrap('request', requestHook(layers));
  return octokit;
}
