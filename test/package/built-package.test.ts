import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { findPackageRoot } from '../../src/cli/package-root.ts';

const run = promisify(execFile);
const ROOT = findPackageRoot();
/** Building and checking all types twice takes minutes. */
const isLong = process.env.DSH_LONG_TESTS === '1';

/** No `skipLibCheck`: our own declarations are held to the same strictness as the consumer's code. */
const TSCONFIG = {
  compilerOptions: {
    ...{ target: 'es2024', module: 'nodenext', strict: true, noUncheckedIndexedAccess: true, skipLibCheck: false },
    ...{ types: ['node'], rewriteRelativeImportExtensions: true, rootDir: '.', outDir: 'out' },
  },
  include: ['test', 'examples'],
};

let consumer: string;

beforeAll(async () => {
  if (!isLong) return;
  await run('npm', ['run', 'build:lib'], { cwd: ROOT }).catch((cause: { stdout: string }) => {
    throw new Error(cause.stdout, { cause });
  });
  consumer = await mkdtemp(join(tmpdir(), 'dsh-consumer-'));
  await installPackage();
  await cp(join(ROOT, 'examples'), join(consumer, 'examples'), {
    recursive: true,
    filter: (path) => !path.endsWith('.test.ts'),
  });
  await mkdir(join(consumer, 'test', 'package'), { recursive: true });
  await cp(join(ROOT, 'test/package/consumer.ts'), join(consumer, 'test/package/consumer.ts'));
  await writeFile(join(consumer, 'tsconfig.json'), JSON.stringify(TSCONFIG));
  await writeFile(join(consumer, 'package.json'), JSON.stringify({ name: 'consumer', type: 'module' }));
}, 300_000);

afterAll(() => (consumer ? rm(consumer, { recursive: true, force: true }) : undefined));

/** The package as it is published, with what it declares as dependencies and nothing else of ours. */
async function installPackage(): Promise<void> {
  const target = join(consumer, 'node_modules', 'dsh-github');
  await cp(join(ROOT, 'lib'), join(target, 'lib'), { recursive: true });
  await cp(join(ROOT, 'package.json'), join(target, 'package.json'));
  const { dependencies } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as { dependencies: object };
  for (const name of [...Object.keys(dependencies), '@types/node']) {
    const link = join(consumer, 'node_modules', name);
    await mkdir(dirname(link), { recursive: true });
    await symlink(join(ROOT, 'node_modules', name), link);
  }
}

(isLong ? describe : describe.skip)('bot-hosts', () => {
  it('H11 the built package type-checks for an outsider who merges its open maps, and runs', async () => {
    const tsc = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
    const checked = await run(process.execPath, [tsc, '-p', '.'], { cwd: consumer }).catch(
      (error: { stdout: string }) => error,
    );
    expect(checked.stdout).toBe('');

    const { stdout } = await run(process.execPath, ['out/test/package/consumer.js', join(consumer, 'data')], {
      cwd: consumer,
    });

    expect(JSON.parse(stdout)).toMatchObject({
      person: 'Maria',
      said: {
        content: [
          { type: 'text', text: 'Ask Maria.' },
          { type: 'citation', title: 'Rota' },
        ],
      },
      readers: 1,
      sessions: [],
    });
  }, 300_000);

  it('the built command line starts', async () => {
    const cli = join(consumer, 'node_modules', 'dsh-github', 'lib', 'cli.js');

    const { stdout } = await run(process.execPath, [cli, '--help'], { cwd: consumer });

    expect(stdout).toContain('Usage: dsh');
  });
});
