import { createHash } from 'node:crypto';

/** Names one exact action: the tool and the very bytes of its arguments, or of a publication plan (A3, N6). Hex. */
export function actionDigest(tool: string, exact: string): string {
  return createHash('sha256').update(`${tool}\n${exact}`).digest('hex');
}
