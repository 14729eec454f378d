import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const preReceive = `#!/bin/sh
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

/** One line `before after ref` for each ref a push moved. */
const postReceive = `#!/bin/sh
exec cat > "$DEMO_MOVED"
`;

/** The hooks all repositories share: they refuse (branch protection, workflow files an app may not touch) and tell what moved. */
export async function writeReceiveHooks(hooksDir: string): Promise<void> {
  await mkdir(hooksDir, { recursive: true });
  await writeFile(join(hooksDir, 'pre-receive'), preReceive, { mode: 0o755 });
  await writeFile(join(hooksDir, 'post-receive'), postReceive, { mode: 0o755 });
}
