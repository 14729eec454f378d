import { isRead, statusOf, type GitHubResponse, type RequestLayer, type RequestOptions } from './request-hook.ts';

const MAX_REMEMBERED = 200;

interface Remembered {
  etag: string;
  response: GitHubResponse;
}

/** Asks again with the ETag of the last answer: an unchanged one (304) costs nothing of the primary rate limit. */
export function conditionalReads(urlOf: (options: RequestOptions) => string): RequestLayer {
  const remembered = new Map<string, Remembered>();

  return async (send, options) => {
    if (!isRead(options)) return await send(options);
    const key = `${options.method} ${options.headers.accept} ${urlOf(options)}`;
    const last = remembered.get(key);
    try {
      const response = await send(last ? withEtag(options, last.etag) : options);
      remember(remembered, key, response);
      return response;
    } catch (error) {
      if (!last || statusOf(error) !== 304) throw error;
      return copyOf(last.response);
    }
  };
}

function withEtag(options: RequestOptions, etag: string): RequestOptions {
  return { ...options, headers: { ...options.headers, 'if-none-match': etag } };
}

/** The oldest goes first once the memory is full. */
function remember(remembered: Map<string, Remembered>, key: string, response: GitHubResponse): void {
  const { etag } = response.headers;
  if (!etag) return;
  remembered.delete(key);
  remembered.set(key, { etag, response: copyOf(response) });
  if (remembered.size > MAX_REMEMBERED) remembered.delete(remembered.keys().next().value!);
}

/** Callers (Octokit's pagination among them) change the data they get. */
function copyOf(response: GitHubResponse): GitHubResponse {
  const { data } = response;
  const isJson = typeof data === 'object' && data !== null && !(data instanceof ArrayBuffer);
  return { ...response, headers: { ...response.headers }, data: isJson ? JSON.parse(JSON.stringify(data)) : data };
}
