import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { actionOutputs } from '../../src/action/outputs.ts';
import { ACTION_INPUTS, readActionInputs } from '../../src/config/action-inputs.ts';

interface ActionFile {
  readonly inputs: Readonly<Record<string, { readonly description: string; readonly default: string }>>;
  readonly outputs: Readonly<Record<string, unknown>>;
  readonly runs: { readonly using: string; readonly main: string };
}
const action = parse(readFileSync(new URL('../../action.yml', import.meta.url), 'utf8')) as ActionFile;
const input = (name: string, value: string) => ({ [`INPUT_${name.toUpperCase()}`]: value });

describe('bot-hosts', () => {
  it('H7 action.yml has exactly the inputs that are read, each with a description and a default', () => {
    expect(Object.keys(action.inputs)).toEqual(ACTION_INPUTS);
    for (const [name, { description, default: given }] of Object.entries(action.inputs)) {
      expect({ name, description: description.endsWith('.'), given: typeof given }).toEqual({
        name,
        description: true,
        given: 'string',
      });
    }
    expect(action.runs).toMatchObject({ using: 'node24', main: 'dist/action.js' });
  });

  it('H7 action.yml has exactly the outputs that are set', () => {
    expect(Object.keys(action.outputs)).toEqual(Object.keys(actionOutputs([])));
  });

  it('H7 the defaults of action.yml are valid and change nothing', () => {
    const defaults = Object.entries(action.inputs).map(([name, { default: value }]) => input(name, value));

    expect(readActionInputs(Object.assign({}, ...defaults))).toEqual(
      readActionInputs({ ...input('github-token', action.inputs['github-token']!.default) }),
    );
    expect(readActionInputs({})).toEqual({
      githubToken: undefined,
      apiKey: undefined,
      dryRun: false,
      state: 'artifact',
      config: undefined,
      settings: { model: undefined, budget: { turn: { steps: undefined, cost: undefined, minutes: undefined } } },
      environment: {},
    });
  });

  it('H7 reads the inputs into settings and environment', () => {
    const inputs = readActionInputs({
      ...input('model', ' deepseek/deepseek-chat '),
      ...input('model-base-url', 'https://model.example/v1'),
      ...input('sandbox-image', 'my/image'),
      ...input('max-steps', '50'),
      ...input('max-cost', '2.5'),
      ...input('timeout-minutes', '30'),
      ...input('wait-minutes', '0.5'),
      ...input('state', 'ref'),
      ...input('dry-run', 'true'),
      ...input('api-key', 'k'),
    });

    expect(inputs).toMatchObject({
      apiKey: 'k',
      dryRun: true,
      state: 'ref',
      settings: {
        model: 'deepseek/deepseek-chat',
        budget: { turn: { steps: 50, cost: 2.5, minutes: 30 } },
        park: { afterMs: 30_000 },
      },
      environment: {
        DSH_MODEL: 'deepseek/deepseek-chat',
        DSH_MODEL_BASE_URL: 'https://model.example/v1',
        DSH_SANDBOX_IMAGE: 'my/image',
      },
    });
  });

  it.each([
    ['wait-minutes', 'ten', 'a number of minutes'],
    ['max-steps', '0', 'a whole number of at least 1'],
    ['max-steps', '1.5', 'a whole number of at least 1'],
    ['max-cost', '-1', 'an amount in US dollars above 0'],
    ['max-cost', '0', 'an amount in US dollars above 0'],
    ['timeout-minutes', 'ten', 'a number of minutes above 0'],
    ['timeout-minutes', '0.0', 'a number of minutes above 0'],
    ['state', 'cache', 'artifact, ref or none'],
    ['dry-run', 'yes', 'true or false'],
    ['model', 'deepseek', 'provider/model'],
  ])('H7 a wrong input is named: %s of %j', (name, value, allowed) => {
    expect(() => readActionInputs(input(name, value))).toThrow(
      expect.objectContaining({
        code: 'CONFIG_INVALID',
        message: expect.stringContaining(`${name}: expected ${allowed}`),
      }),
    );
  });
});
