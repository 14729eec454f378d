import { DshError } from '../../errors.ts';
import { errorChain, isHarnessError } from '../../harness/llm/errors.ts';
import type { LlmFailure } from '../../harness/llm/types.ts';
import type { Problem } from '../job/job.ts';

/** Puts any error into words for people: what and why, and how to mend it where that is known. */
export function problemOf(error: unknown): Problem {
  if (error instanceof DshError) return { code: error.code, message: error.message, hint: error.hint };
  const network = networkProblem(error);
  if (network) return network;
  if (isHarnessError(error)) return { code: error.code, message: error.message, hint: undefined };
  const refused = githubProblem(error);
  if (refused) return refused;
  return {
    code: 'UNEXPECTED',
    message: errorChain(error),
    hint: 'This looks like a fault of dsh itself; please report it.',
  };
}

/** A failed model call; the provider's own words are kept, they hold no key. */
export function problemOfFailure(failure: LlmFailure): Problem {
  const status = failure.status === undefined ? '' : ` (${failure.status})`;
  const known = MODEL_PROBLEMS[failure.code];
  if (!known)
    return { code: failure.code, message: `The model call failed${status}: ${failure.message}`, hint: undefined };
  return { code: failure.code, message: `${known.what}${status}: ${failure.message}`, hint: known.hint };
}

const MODEL_PROBLEMS: Readonly<Record<string, { what: string; hint: string } | undefined>> = {
  AUTH: {
    what: 'The model key was rejected',
    hint: 'Set a valid key (DEEPSEEK_API_KEY, OPENAI_API_KEY or the `api-key` input).',
  },
  QUOTA: { what: "The model account's balance or quota is used up", hint: 'Top the account up, then ask again.' },
  RATE_LIMIT: { what: 'The model provider limits requests', hint: 'Ask again in a few minutes.' },
  TRANSPORT: {
    what: 'The model endpoint could not be reached',
    hint: 'Check DSH_MODEL_BASE_URL and the network of this machine.',
  },
  NO_ADAPTER: {
    what: 'There is no such model provider',
    hint: 'Set DSH_MODEL to provider/model of a provider that has a key here.',
  },
  CONTEXT_WINDOW_EXCEEDED: {
    what: 'This does not fit the window of the model, and condensing what came before did not help',
    hint: 'Ask for less at once, set `model` to one with a larger window, or start over with `/dsh forget`.',
  },
  INVALID_REQUEST: {
    what: 'The model endpoint refused the request',
    hint: 'Check that DSH_MODEL names a model of this endpoint.',
  },
};

function networkProblem(error: unknown): Problem | undefined {
  const chain = errorChain(error);
  if (!/ECONNREFUSED|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|ECONNRESET|fetch failed/.test(chain)) return undefined;
  return {
    code: 'GITHUB_UNREACHABLE',
    message: `GitHub could not be reached: ${chain}`,
    hint: 'Check GITHUB_API_URL and the network of this machine.',
  };
}

/** What GitHub answered instead of doing it. */
function githubProblem(error: unknown): Problem | undefined {
  const { status, message } = (error ?? {}) as { status?: unknown; message?: unknown };
  if (typeof status !== 'number') return undefined;
  if (status === 401) {
    return {
      code: 'GITHUB_UNAUTHORIZED',
      message: 'GitHub rejected the credentials (401).',
      hint: 'Check GITHUB_TOKEN, or APP_ID and PRIVATE_KEY.',
    };
  }
  const told = `GitHub answered ${status}: ${String(message)}`;
  if (status === 403 || status === 404) {
    const hint =
      'The token or app may lack a permission on this repository; docs/app.md and docs/action.md list what is needed.';
    return { code: status === 403 ? 'GITHUB_FORBIDDEN' : 'GITHUB_NOT_FOUND', message: told, hint };
  }
  return status >= 500
    ? { code: 'GITHUB_FAILED', message: told, hint: 'Try again in a few minutes; githubstatus.com tells of outages.' }
    : undefined;
}
