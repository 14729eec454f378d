import type { GitHub } from './client.ts';
import { statusOf } from './request-hook.ts';

/** Whether a person's classic token has the scope for workflows; other tokens tell no scopes, and count as no. */
export async function hasWorkflowScope(github: GitHub, signal?: AbortSignal): Promise<boolean> {
  try {
    // A request that costs no points. https://docs.github.com/rest/rate-limit
    const { headers } = await github.rest.rateLimit.get({ request: { signal } });
    return String(headers['x-oauth-scopes'] ?? '')
      .split(/,\s*/)
      .includes('workflow');
  } catch (error) {
    if (statusOf(error) === undefined) throw error;
    return false;
  }
}
