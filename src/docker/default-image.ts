/** The tools image that `scripts/setup-docker.ts` builds; used where none is configured. */
export const DEFAULT_SANDBOX_IMAGE = 'dsh-sandbox:local';
