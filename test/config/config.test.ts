import { describe, expect, it } from '@jest/globals';
import { checkRepositoryConfig } from '../../src/config/check-repository-config.ts';
import { DEFAULT_CONFIG } from '../../src/config/default-config.ts';
import { mergeConfig } from '../../src/config/merge-config.ts';
import { readEnv } from '../../src/config/env.ts';
import { readConfigFile } from '../../src/config/read-config-file.ts';

describe('bot-hosts', () => {
  it('reads a configuration file and lets later layers win key by key', () => {
    const operator = readConfigFile('verify:\n  rounds: 1\nmodel: deepseek/a\n', 'operator.yml');
    const repository = readConfigFile('verify:\n  commands: [npm test]\n', '.github/dsh.yml');

    expect(mergeConfig(operator, repository)).toMatchObject({
      model: 'deepseek/a',
      verify: { rounds: 1, commands: ['npm test'], timeoutMs: DEFAULT_CONFIG.verify.timeoutMs },
    });
  });

  it('names an unknown key, its line and the nearest one', () => {
    expect(() => readConfigFile('model: a/b\nverify:\n  comands: []\n', 'dsh.yml')).toThrow(
      /line 3: unknown key verify\.comands, did you mean commands\?/,
    );
  });

  it('names the line and what is allowed for a wrong value', () => {
    expect(() => readConfigFile('\nreview:\n  auto: always\n', 'dsh.yml')).toThrow(
      /dsh\.yml is not valid:\nline 3: review\.auto: .*opened/,
    );
  });

  it('reports broken YAML by file and place', () => {
    expect(() => readConfigFile('a: [1,\n', 'dsh.yml')).toThrow(/dsh\.yml is not valid/);
  });

  it.each([
    [
      'aliases that multiply',
      `a: &a [x, x]\n${[...'bcdefghi'].map((name, index) => `${name}: &${name} [${`*${'abcdefgh'[index]}, `.repeat(9)}]`).join('\n')}`,
    ],
    ['nesting without end', `verify: ${'['.repeat(100_000)}`],
    ['an alias of nothing', 'model: *none'],
    ['an alias of itself', 'aliases: &a [*a]'],
  ])('refuses %s', (_, text) => {
    expect(() => readConfigFile(text, 'dsh.yml')).toThrow(
      expect.objectContaining({ code: 'CONFIG_INVALID', message: expect.stringMatching(/^dsh\.yml is not valid:\n./) }),
    );
  });

  it('an empty file is an empty configuration', () => {
    expect(readConfigFile('', 'dsh.yml')).toEqual({});
  });

  it.each([
    ['modelBaseUrl: https://evil.example', 'modelBaseUrl'],
    ['sandbox: { image: evil }', 'sandbox.image'],
    ['allowBots: ["x[bot]"]', 'allowBots'],
    ['permissions: { run: read }', 'permissions.run'],
    ['permissions: { ask: anyone }', 'permissions.ask'],
    ['budget: { turn: { cost: 500 } }', 'budget.turn.cost'],
    ['hooks: { claude: { Stop: [] } }', 'hooks'],
    ['skills: { dirs: [/etc] }', 'skills'],
    ['workingWindow: 1000000', 'workingWindow'],
    ['allow: [modelBaseUrl]', 'allow'],
    ['network: allow-list', 'network'],
    ['networkHosts: [evil.example]', 'networkHosts'],
    ["networkHosts: [pypi.org, '*.pypi.org']", 'networkHosts'],
    ['networkHosts: [pypi.org:22]', 'networkHosts'],
  ])('a repository may not widen: %s', (yaml, key) => {
    const file = readConfigFile(yaml, 'dsh.yml');

    expect(() => checkRepositoryConfig(file, DEFAULT_CONFIG, [])).toThrow(`may not set ${key}`);
    expect(() => checkRepositoryConfig(file, DEFAULT_CONFIG, [key])).not.toThrow();
  });

  it('a repository may narrow', () => {
    const file = readConfigFile('permissions: { run: admin }\nbudget: { turn: { cost: 1 } }', 'dsh.yml');

    expect(() => checkRepositoryConfig(file, DEFAULT_CONFIG, [])).not.toThrow();
  });

  it('a repository may narrow the network that the operator opened', () => {
    const operator = mergeConfig({ network: 'allow-list', networkHosts: ['*.corp.example', 'pypi.org'] });
    const allowed = [
      'network: none',
      'networkHosts: []',
      'networkHosts: [PyPI.org, a.b.corp.example]',
      "networkHosts: ['*.a.corp.example']",
    ];
    for (const yaml of allowed) {
      expect(() => checkRepositoryConfig(readConfigFile(yaml, 'dsh.yml'), operator, [])).not.toThrow();
    }
    for (const yaml of [
      'networkHosts: [corp.example]',
      'networkHosts: [evilcorp.example]',
      'networkHosts: [a.corp.example:22]',
    ]) {
      expect(() => checkRepositoryConfig(readConfigFile(yaml, 'dsh.yml'), operator, [])).toThrow('networkHosts');
    }
  });

  it.each([
    '10.0.0.1',
    '*',
    '*.com',
    'localhost',
    'https://a.example',
    'a.example/x',
    'a.*.example',
    '0x7f.1',
    'a.example:x',
  ])('a host of the list is a name: not %s', (host) => {
    expect(() => readConfigFile(`networkHosts: ['${host}']`, 'dsh.yml')).toThrow(
      /networkHosts\.0: expected a host name/,
    );
  });

  it('`full` is nothing that can be configured', () => {
    expect(() => readConfigFile('network: full', 'dsh.yml')).toThrow('network');
  });

  it('names a wrong variable, what was given and what is allowed; secrets stay hidden', () => {
    expect(() => readEnv({ PORT: '99999' })).toThrow(/PORT is "99999"/);
    expect(() => readEnv({ LOG_LEVEL: 'loud' })).toThrow(/LOG_LEVEL is "loud"/);
    expect(() => readEnv({ DSH_MODEL: 'just-a-name' })).toThrow(/provider\/model/);
  });

  it('takes empty variables as absent and finds the data directory', () => {
    expect(readEnv({ DSH_MODEL: '', GITHUB_API_URL: '', HOME: '/home/a' })).toMatchObject({
      GITHUB_API_URL: 'https://api.github.com',
      dataDir: '/home/a/.local/state/dsh',
    });
    expect(readEnv({ RUNNER_TEMP: '/tmp/r' }).dataDir).toBe('/tmp/r/dsh');
  });
});
