import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { runAction } from '../../src/action.ts';
import { runDoctor } from '../../src/cli/doctor/run-doctor.ts';
import type { Finding } from '../../src/cli/doctor/finding.ts';
import { readOperatorFile } from '../../src/config/read-operator-file.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'dsh-folders-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function fileNaming(...dirs: string[]): string {
  const path = join(folder, 'dsh.yml');
  writeFileSync(path, `skills: { dirs: ${JSON.stringify(dirs)} }\n`);
  return path;
}

describe('skills', () => {
  it('N2 a folder of the operator that is there is taken; one that is missing, or a file, fails the start by its name', async () => {
    const there = join(folder, 'org');
    mkdirSync(there);
    const missing = { code: 'CONFIG_INVALID', hint: expect.stringContaining('skills.dirs') };

    expect(await readOperatorFile(fileNaming(there))).toEqual({ skills: { dirs: [there] } });
    for (const path of [join(folder, 'none'), join(folder, 'dsh.yml')]) {
      const message = `There is no skill folder ${path}.`;
      await expect(readOperatorFile(fileNaming(there, path))).rejects.toMatchObject({ ...missing, message });
    }
  });

  it('N2 the doctor says so, and how to mend it', async () => {
    let findings: Finding[] = [];
    const output = { say: () => {}, result: (told: unknown) => void (findings = told as Finding[]) };

    await runDoctor({ DSH_CONFIG: fileNaming(join(folder, 'none')), DSH_HOME: folder }, output);

    const settings = findings.find(({ name }) => name === 'settings');
    expect(settings).toMatchObject({ state: 'failed', mend: expect.stringContaining('skills.dirs') });
    expect(settings?.what).toContain(join(folder, 'none'));
  });

  it('N2 a run of the Action ends at once with it, named by its file or by its input', async () => {
    const event = join(folder, 'event.json');
    writeFileSync(event, '{}');
    const run = { GITHUB_EVENT_NAME: 'issue_comment', GITHUB_EVENT_PATH: event, 'INPUT_GITHUB-TOKEN': 't' };
    const none = join(folder, 'none');
    const written: string[] = [];
    const { write } = process.stdout;
    process.stdout.write = ((text: string) => (written.push(text), true)) as never;
    try {
      expect(await runAction({ ...run, DSH_CONFIG: fileNaming(none) })).toBe(1);
      expect(await runAction({ ...run, INPUT_CONFIG: `skills: { dirs: [${none}] }` })).toBe(1);
    } finally {
      process.stdout.write = write;
    }

    expect(written.join('').match(/There is no skill folder/g)?.length).toBe(2);
  });
});
