import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const script = `#!/bin/sh
refused=0
while read -r old new ref; do
  for protected in $DEMO_PROTECTED; do
    if [ "$ref" = "$protected" ]; then
      echo "error: GH006: Protected branch update failed for $ref."
      echo "error: Changes must be made through a pull request."
      refused=1
    fi
  done
  case $new in *[!0]*) ;; *) continue ;; esac
  if [ -n "$DEMO_NO_WORKFLOWS" ]; then
    for file in $(git rev-list "$new" --not --all | git diff-tree --stdin -m -r --root --name-only --no-commit-id -- .github/workflows | sort -u); do
      echo "refusing to allow a GitHub App to create or update workflow \\\`$file\\\` without \\\`workflows\\\` permission"
      refused=1
    done
  fi
done
exit $refused
`;

/** The hook every repository shares: branch protection, and workflow files an app may not touch. */
export async function writePreReceiveHook(hooksDir: string): Promise<void> {
  await mkdir(hooksDir, { recursive: true });
  await writeFile(join(hooksDir, 'pre-receive'), script, { mode: 0o755 });
}
