import type { OwnIdentity } from '../triggers/trigger-config.ts';

/** The comments of an Actions token are written by this user. */
export const ACTIONS_LOGIN = 'github-actions[bot]';
export const ACTIONS_SELF: OwnIdentity = { botLogin: ACTIONS_LOGIN };
