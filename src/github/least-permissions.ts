import type { JobKind } from '../triggers/reading.ts';

/**
 * What a token is for: one kind of turn, taking a publication back, resolving review threads, or all else that is read and
 * said, also of a turn.
 */
export type TokenUse = JobKind | 'undo' | 'resolve' | 'talk';
/** By GitHub's names. */
export type TokenPermissions = Readonly<Record<string, 'read' | 'write'>>;

/** The least that it takes (X9). Pure. */
export function permissionsFor(use: TokenUse): TokenPermissions {
  switch (use) {
    case 'talk':
      return TALK;
    case 'ask':
    case 'plan':
    case 'review':
      return { ...TALK, actions: 'read' };
    // GitHub resolves a thread only for who may write contents, however little that has to do with it.
    case 'resolve':
    case 'undo':
      return { ...TALK, contents: 'write' };
    case 'fix':
    case 'goal':
      return { ...TALK, actions: 'read', contents: 'write' };
  }
}

/** By comments, reviews and, for an automatic review, its check. */
const TALK = { metadata: 'read', contents: 'read', issues: 'write', pull_requests: 'write', checks: 'write' } as const;

/** Of what is wanted, what an installation was granted: asking for more gets nothing at all. Pure. */
export function grantedOf(wanted: TokenPermissions, granted: Readonly<Record<string, string>>): TokenPermissions {
  const levels = Object.entries(wanted).flatMap(([name, level]) => {
    const given = granted[name];
    return given === undefined ? [] : [[name, given === 'read' ? 'read' : level] as const];
  });
  return Object.fromEntries(levels);
}
