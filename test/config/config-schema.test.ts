import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import { findPackageRoot } from '../../src/cli/package-root.ts';
import { configSchema } from '../../src/config/config-schema.ts';
import { ConfigFile } from '../../src/config/config-file.ts';

const ajv = new Ajv({ strict: false, allErrors: true });
(addFormats as unknown as (one: Ajv) => void)(ajv);
const validate = ajv.compile(configSchema());

describe('bot-hosts', () => {
  it('the published schema of the settings file is fresh (npm run schema)', () => {
    const published = readFileSync(join(findPackageRoot(), 'schema/dsh.schema.json'), 'utf8');
    expect(JSON.parse(published)).toEqual(JSON.parse(JSON.stringify(configSchema())));
  });

  it.each<[string, unknown, boolean]>([
    ['nothing', {}, true],
    ['a model', { model: 'deepseek/deepseek-flash' }, true],
    ['a model without provider', { model: 'flash' }, false],
    ['an unknown key', { modle: 'x/y' }, false],
    ['an unknown key further in', { review: { atuo: 'off' } }, false],
    ['a number that is a text', { budget: { turn: { steps: 'many' } } }, false],
    ['what it lists', { review: { auto: 'every-push', ignore: ['*.lock'], minConfidence: 0.5 } }, true],
    ['what it does not list', { review: { auto: 'sometimes' } }, false],
  ])('the schema and the program agree on %s', (_what, value, isValid) => {
    expect(validate(value)).toBe(isValid);
    expect(ConfigFile.safeParse(value).success).toBe(isValid);
  });

  it('the schema knows every key that the program does', () => {
    const { properties } = configSchema() as { properties: Record<string, unknown> };
    expect(Object.keys(properties).sort()).toEqual(Object.keys(ConfigFile.shape).sort());
  });
});
