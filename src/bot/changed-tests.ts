import type { TreeChange, WrittenFile } from '../github/tree/types.ts';
import { MANIFESTS, detectTestCommands, npmTestScript } from './detect-test-commands.ts';
import type { Manifest, Manifests } from './detect-test-commands.ts';

/** Folders and names by which the usual test runners know a test file. */
const TEST_PATH = /(^|\/)(tests?|__tests__|specs?)\/|(^|\/)test_[^/]+\.py$|[._-](test|spec)s?\.[a-z]+$|_test\.go$/i;

/**
 * Tests that existed before the change, and the manifest that defines the test command, where they were changed or
 * removed by it: the pull request says so (F2). Pure.
 */
export function changedTests(changes: readonly TreeChange[], base: Manifests): string[] {
  const tests = changes.filter((change) => change.kind !== 'added' && TEST_PATH.test(change.path));
  const commands = changes.filter((change) => changesTestCommand(change, base));
  return [...tests.map(({ path }) => path), ...commands.map(({ path }) => `${path} (the test command)`)];
}

function changesTestCommand(change: TreeChange, base: Manifests): boolean {
  if (!isManifest(change.path) || !isInUse(change.path, base)) return false;
  if (change.kind === 'deleted') return true;
  return change.path !== 'package.json' || npmTestScript(textOf(change)) !== npmTestScript(base['package.json']);
}

/** The base's test command comes from this very file. */
function isInUse(path: Manifest, base: Manifests): boolean {
  const [command] = detectTestCommands(base);
  return command !== undefined && detectTestCommands({ [path]: base[path] })[0] === command;
}

function isManifest(path: string): path is Manifest {
  return (MANIFESTS as readonly string[]).includes(path);
}

function textOf({ bytes }: WrittenFile): string {
  return Buffer.from(bytes).toString('utf8');
}
