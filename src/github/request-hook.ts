import type { Octokit } from '@octokit/rest';

/** Named by way of the client, so that our own types need no further package. */
export type RequestOptions = Required<Octokit['request']['endpoint']['DEFAULTS']>;
type AnyResponse = Awaited<ReturnType<Octokit['request']>>;
export type GitHubResponse = Omit<AnyResponse, 'data'> & { data: unknown };
export type Send = (options: RequestOptions) => GitHubResponse | Promise<GitHubResponse>;

/** One layer around every request: may delay, repeat, answer or refuse it. */
export type RequestLayer = (send: Send, options: RequestOptions) => GitHubResponse | Promise<GitHubResponse>;

/**
 * One request hook of all layers, first layer innermost. Octokit binds each hook to the first options object, so what
 * layers changed has to be written into it in the end.
 */
export function requestHook(layers: RequestLayer[]): RequestLayer {
  return (request, options) => {
    const wire: Send = (changed) => request(Object.assign(options, changed));
    const send = layers.reduce<Send>((inner, layer) => (changed) => layer(inner, changed), wire);
    return send({ ...options });
  };
}

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

/** GitHub has no such thing, any longer or for us. */
export function isGone(error: unknown): boolean {
  return [404, 410].includes(statusOf(error) ?? 0);
}
