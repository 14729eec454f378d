import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { findPackageRoot } from '../../src/cli/package-root.ts';
import { DEFAULT_CONFIG } from '../../src/config/default-config.ts';

interface Service {
  readonly image: string;
  readonly environment: Record<string, string>;
  readonly volumes: string[];
  readonly stop_grace_period: string;
  readonly ports: string[];
}

const text = readFileSync(join(findPackageRoot(), 'compose.yml'), 'utf8');
const { services } = parse(text, { merge: true }) as { services: Record<string, Service> };
const workers = Object.values(services).filter(({ image }) => image === 'dsh:local');

describe('bot-hosts', () => {
  it('H6 compose starts two identical workers on one database and one data directory, given time to end', () => {
    expect(workers).toHaveLength(2);
    const [first, second] = workers as [Service, Service];
    expect({ ...second, ports: [] }).toEqual({ ...first, ports: [] });
    expect(first.ports).not.toEqual(second.ports);
    expect(first.environment.DATABASE_URL).toContain('@postgres/');
    // The engine is told paths of the host.
    expect(first.volumes).toContain('/var/lib/dsh:/var/lib/dsh');
    expect(parseInt(first.stop_grace_period) * 1_000).toBeGreaterThan(DEFAULT_CONFIG.shutdown.graceMs);
  });

  it('H6 no secret stands in it', () => {
    const secrets = Object.entries(workers[0]!.environment).filter(([name]) => /KEY|SECRET|PASSWORD|URL/.test(name));
    for (const [, value] of secrets) expect(value).toMatch(/\$\{[A-Z_]+:\?/);
  });
});
