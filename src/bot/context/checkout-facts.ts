import type { HookContext } from '../../harness/agent/types.ts';
import type { Checkout } from '../../github/git/checkout.ts';
import type { LfsReport } from '../../github/git/fetch-lfs.ts';
import { isPartial } from '../../github/git/mirror.ts';
import type { Submodule } from '../../github/git/submodules.ts';
import { hostContext } from './request-prompt.ts';

/** What of the repository is not in the container, so that the model takes no empty folder for a fault (C1, C4). Pure. */
export function checkoutFacts(
  { mirror }: Pick<Checkout, 'mirror'>,
  submodules: readonly Submodule[],
  lfs: LfsReport,
): HookContext[] {
  const missing = submodules.filter(({ state }) => state !== 'fetched');
  return [
    ...(isPartial(mirror) ? [hostContext(PARTIAL)] : []),
    ...(missing.length > 0 ? [hostContext(submoduleText(missing))] : []),
    ...(lfs.missing.length > 0 ? [hostContext(lfsText(lfs))] : []),
  ];
}

const PARTIAL =
  'The repository is large: the contents of earlier commits are not here. `git log` works; `git blame`, `git log -p` and `git show` of earlier commits fail.';

const SHOWN = 20;

function submoduleText(missing: readonly Submodule[]): string {
  const more = missing.length > SHOWN ? ` and ${missing.length - SHOWN} more` : '';
  const named = missing.slice(0, SHOWN).map(({ path, state }) => `${path} (${REASONS[state]})`);
  return `These submodules are empty here: ${named.join(', ')}${more}.`;
}

function lfsText({ missing }: LfsReport): string {
  const more = missing.length > SHOWN ? ` and ${missing.length - SHOWN} more` : '';
  return `These LFS files could not be fetched and are pointers here: ${missing.slice(0, SHOWN).join(', ')}${more}.`;
}

const REASONS: Readonly<Record<Submodule['state'], string>> = {
  fetched: 'fetched',
  refused: 'of another owner or server, or named by this head alone',
  failed: 'it could not be read',
};
