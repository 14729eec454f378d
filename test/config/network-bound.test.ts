import { describe, expect, it } from '@jest/globals';
import { checkRepositoryConfig } from '../../src/config/check-repository-config.ts';
import { mergeConfig } from '../../src/config/merge-config.ts';
import { readConfigFile } from '../../src/config/read-config-file.ts';

const bound = (yaml: string) => readConfigFile(`networkBound: ${yaml}`, 'dsh.yml');

describe('sandbox', () => {
  it('N12 a repository may lower the bound of what can be approved, and not raise it', () => {
    const operator = mergeConfig(bound('allow-list'));

    for (const lower of ['none', 'allow-list'])
      expect(() => checkRepositoryConfig(bound(lower), operator, [])).not.toThrow();
    expect(() => checkRepositoryConfig(bound('full'), operator, [])).toThrow('may not set networkBound');
    expect(mergeConfig({}).networkBound).toBe('full');
  });
});
