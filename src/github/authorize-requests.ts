import { statusOf, type RequestLayer, type RequestOptions } from './request-hook.ts';
import type { TokenProvider } from './token-provider.ts';

/** Each attempt carries a token of its own moment, since a request may have waited longer than a token lives. */
export function authorizeRequests(tokens: TokenProvider): RequestLayer {
  return async (send, options) => {
    const token = await tokens();
    try {
      return await send(withToken(options, token));
    } catch (error) {
      if (statusOf(error) !== 401) throw error;
      // A 401 was not carried out, so repeating is safe; the same token again would only fail again.
      const renewed = await tokens({ fresh: true });
      if (renewed === token) throw error;
      return await send(withToken(options, renewed));
    }
  };
}

function withToken(options: RequestOptions, token: string): RequestOptions {
  return { ...options, headers: { ...options.headers, authorization: `token ${token}` } };
}
