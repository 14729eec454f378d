import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';

const script = join(import.meta.dirname, '../../scripts/setup-docker.ts');

describe('bot-hosts', () => {
  it('finds an engine and an image that are there, says nothing and is quick', () => {
    const startedAt = performance.now();

    const { status, stderr } = spawnSync(process.execPath, [script], { encoding: 'utf8' });

    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(performance.now() - startedAt).toBeLessThan(3_000);
  });

  it('does not start an engine of its own where another one is named', () => {
    const env = { ...process.env, DOCKER_HOST: 'unix:///nowhere/docker.sock' };

    const { status, stderr } = spawnSync(process.execPath, [script], { encoding: 'utf8', env });

    expect(status).toBe(1);
    expect(stderr).toMatch(/No Docker engine answers.*DOCKER_HOST/);
  });
});
