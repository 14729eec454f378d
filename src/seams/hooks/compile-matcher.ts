import { HarnessError } from '../../harness/llm/errors.ts';
import type { MatcherMode } from './types.ts';

export type Matcher = (subject: string) => boolean;

const EXACT_NAMES = /^[A-Za-z0-9_|]+$/;

/**
 * Which subjects a matcher means.
 * @throws HarnessError `HOOK_MATCHER_INVALID`: a policy that silently matches nothing would be none
 */
export function compileMatcher(pattern: string | undefined, mode: MatcherMode): Matcher {
  if (pattern === undefined || pattern === '' || pattern === '*') return () => true;
  if (mode === 'claude' && EXACT_NAMES.test(pattern)) {
    const names = new Set(pattern.split('|'));
    return (subject) => names.has(subject);
  }
  const expression = regexOf(pattern);
  return (subject) => expression.test(subject);
}

function regexOf(pattern: string): RegExp {
  try {
    return new RegExp(pattern);
  } catch (cause) {
    throw new HarnessError(
      `the hook matcher ${JSON.stringify(pattern)} is no regular expression`,
      'HOOK_MATCHER_INVALID',
      {
        cause,
      },
    );
  }
}
