import type { EndpointDefaults, OctokitResponse } from '@octokit/types';

export type RequestOptions = Required<EndpointDefaults>;
export type GitHubResponse = OctokitResponse<unknown>;
export type Send = (options: RequestOptions) => GitHubResponse | Promise<GitHubResponse>;

/** One layer around every request: may delay, repeat, answer or refuse it. */
export type RequestLayer = (send: Send, options: RequestOptions) => GitHubResponse | Promise<GitHubResponse>;

export function isRead({ method }: RequestOptions): boolean {
  return method === 'GET' || method === 'HEAD';
}

export function signalOf(options: RequestOptions): AbortSignal | undefined {
  return (options.request as { signal?: AbortSignal }).signal;
}

/** HTTP status of an Octokit error; undefined for anything else. */
export function statusOf(error: unknown): number | undefined {
  if (typeof error !== 'object' || error === null || !('status' in error)) return undefined;
  return typeof error.status === 'number' ? error.status : undefined;
}
