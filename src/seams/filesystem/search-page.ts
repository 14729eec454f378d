import { storeFullText } from '../bash/store-full-text.ts';
import type { Context } from '../../harness/kernel/context.ts';
import type { ToolExecution } from '../../harness/tools/types.ts';

/** `what` describes the page that is shown, `narrow` how to ask for less. */
export interface SearchPage {
  page: string;
  full: string;
  what: string;
  narrow: string;
}

/** The page with a note that it is one, and where the complete list lies. */
export async function cappedPage(
  ctx: Context,
  exec: ToolExecution,
  { page, full, what, narrow }: SearchPage,
): Promise<string> {
  const stored = await storeFullText(ctx, exec, 'matches', full);
  const rest = stored
    ? `Complete list: ${stored.locator}. ${stored.retrievalHint}`
    : 'The complete list could not be stored.';
  return `${page}\n\n(Showing ${what}. ${rest} Or ${narrow}.)`;
}
