import type { TreeChange, WrittenFile } from '../../../github/tree/types.ts';
import { MANIFESTS, detectTestCommands, npmScripts, npmTestScript } from './detect-test-commands.ts';
import type { Manifest, Manifests } from './detect-test-commands.ts';

/** Folders and names by which the usual test runners know a test file. */
const TEST_PATH = /(^|\/)(tests?|__tests__|specs?)\/|(^|\/)test_[^/]+\.py$|[._-](test|spec)s?\.[a-z]+$|_test\.go$/i;

/** Pure. */
export function isTestPath(path: string): boolean {
  return TEST_PATH.test(path);
}

/**
 * Tests that existed before the change, and what defines the test command (a manifest, a script that it names), where they
 * were changed or removed by it: the pull request says so (F2). `configured` are the commands of `verify.commands`. Pure.
 */
export function changedTests(
  changes: readonly TreeChange[],
  base: Manifests,
  configured?: readonly string[],
): string[] {
  const named = namedIn(configured ?? [npmTestScript(base['package.json']) ?? '']);
  const existed = changes.filter(({ kind }) => kind !== 'added');
  const tests = existed.filter(({ path }) => TEST_PATH.test(path) || named(path));
  const commands = changes.filter((change) => !tests.includes(change) && changesCommand(change, base, configured));
  return [...tests.map(({ path }) => path), ...commands.map(({ path }) => `${path} (the test command)`)];
}

/** Whether one of the commands has the path as a word; after `cd`, its end. */
function namedIn(commands: readonly string[]): (path: string) => boolean {
  const words = commands.flatMap((command) =>
    wordsOf(command).map((word) => ({ word, moved: /\b(?:cd|pushd)\s/.test(command) })),
  );
  return (path) => words.some(({ word, moved }) => path === word || (moved && path.endsWith(`/${word}`)));
}

function wordsOf(command: string): string[] {
  return command.split(/[\s'"`;&|()<>=]+/).map((word) => word.replace(/^(?:\.\/+)+/, ''));
}

function changesCommand(change: TreeChange, base: Manifests, configured: readonly string[] | undefined): boolean {
  return configured ? changesRunner(change, base, configured) : changesTestCommand(change, base);
}

/** What a configured command leaves to a manifest: its scripts to npm and the like, its rules to make. */
function changesRunner(change: TreeChange, base: Manifests, configured: readonly string[]): boolean {
  const runs = (program: RegExp) => configured.some((command) => program.test(command));
  if (change.path === 'Makefile') return change.kind !== 'added' && runs(/\bmake\b/);
  if (change.path !== 'package.json' || change.kind === 'added') return false;
  if (!runs(/\b(?:npm|npx|pnpm|yarn|bun)\b/)) return false;
  return change.kind === 'deleted' || npmScripts(textOf(change)) !== npmScripts(base['package.json']);
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
