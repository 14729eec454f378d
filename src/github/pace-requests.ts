import { isRead, signalOf, type RequestLayer, type RequestOptions } from './request-hook.ts';
import type { RequestCost, RequestPacer } from './request-pacer.ts';

// What GitHub calls content-generating; reactions, refs, blobs, trees, commits and check runs are not.
const CONTENT = /\/(issues|pulls|comments|reviews|replies|releases|requested_reviewers|merge)(\/\d+)?$/;

export function paceRequests(pacer: RequestPacer): RequestLayer {
  return (send, options) => pacer.run(costOf(options), () => send(options), signalOf(options));
}

/** What a request costs against the published limits. */
export function costOf(options: RequestOptions): RequestCost {
  if (isRead(options)) return { points: 1, content: false };
  if (options.url.endsWith('/graphql')) return { points: isMutation(options) ? 5 : 1, content: false };
  return { points: 5, content: options.method !== 'DELETE' && CONTENT.test(pathOf(options)) };
}

export function isMutation(options: RequestOptions): boolean {
  const { query } = options as { query?: unknown };
  return typeof query === 'string' && /^\s*mutation\b/.test(query);
}

/** The path with its parameters filled in as far as the pattern needs: every placeholder counts as a number. */
function pathOf({ url }: RequestOptions): string {
  return url.replace(/\{[^}]+\}/g, '0').replace(/\?.*$/, '');
}
