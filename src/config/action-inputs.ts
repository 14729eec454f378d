import { z } from 'zod';
import { DshError } from '../errors.ts';
import type { ConfigFile } from './config-file.ts';

const ABOVE_ZERO = /^$|^(?=.*[1-9])\d+(\.\d+)?$/;

/** The inputs of `action.yml`, as the runner passes them: `INPUT_<NAME>` with the name in capitals, blanks as underscores. */
const Inputs = z.object({
  'github-token': z.string(),
  model: z.string().regex(/^$|^[^/\s]+\/\S+$/, 'provider/model, for example deepseek/deepseek-chat'),
  'model-base-url': z.string(),
  'api-key': z.string(),
  config: z.string(),
  'sandbox-image': z.string(),
  network: z.string().regex(/^$|^(none|allow-list)$/, 'none or allow-list'),
  'max-steps': z.string().regex(/^$|^[1-9]\d*$/, 'a whole number of at least 1'),
  'max-cost': z.string().regex(ABOVE_ZERO, 'an amount in US dollars above 0'),
  'timeout-minutes': z.string().regex(ABOVE_ZERO, 'a number of minutes above 0'),
  'wait-minutes': z.string().regex(/^$|^\d+(\.\d+)?$/, 'a number of minutes'),
  state: z.string().regex(/^$|^(artifact|ref|none)$/, 'artifact, ref or none'),
  'sarif-file': z.string(),
  'dry-run': z.string().regex(/^$|^(true|false)$/, 'true or false'),
});
export const ACTION_INPUTS = Object.keys(Inputs.shape);

export interface ActionInputs {
  readonly githubToken: string | undefined;
  readonly apiKey: string | undefined;
  readonly dryRun: boolean;
  /** Where a session is kept between runs (H9). */
  readonly state: 'artifact' | 'ref' | 'none';
  /** Text of a settings file; the workflow is the operator here. */
  readonly config: string | undefined;
  readonly settings: ConfigFile;
  /** What takes the place of environment variables. */
  readonly environment: Readonly<Record<string, string>>;
}

/** Reads and checks the inputs. Throws `CONFIG_INVALID` that names the input and what is allowed. */
export function readActionInputs(variables: Readonly<Record<string, string | undefined>>): ActionInputs {
  const given = Object.fromEntries(
    ACTION_INPUTS.map((name) => [name, (variables[`INPUT_${name.toUpperCase()}`] ?? '').trim()]),
  );
  const parsed = Inputs.safeParse(given);
  if (!parsed.success) {
    const problems = parsed.error.issues.map((issue) => `${String(issue.path[0])}: expected ${issue.message}`);
    throw new DshError(
      `Inputs are not valid: ${problems.join('; ')}.`,
      'CONFIG_INVALID',
      'Correct the `with` part of the step.',
      { cause: parsed.error },
    );
  }
  const inputs = parsed.data;
  const number = (name: 'max-steps' | 'max-cost' | 'timeout-minutes' | 'wait-minutes') =>
    inputs[name] === '' ? undefined : Number(inputs[name]);
  const wait = number('wait-minutes');
  return {
    githubToken: inputs['github-token'] || undefined,
    apiKey: inputs['api-key'] || undefined,
    dryRun: inputs['dry-run'] === 'true',
    state: (inputs.state || 'artifact') as ActionInputs['state'],
    config: inputs.config || undefined,
    settings: {
      model: inputs.model || undefined,
      park: wait === undefined ? undefined : { afterMs: wait * 60_000 },
      network: (inputs.network || undefined) as ConfigFile['network'],
      budget: { turn: { steps: number('max-steps'), cost: number('max-cost'), minutes: number('timeout-minutes') } },
    },
    environment: {
      ...(inputs.model && { DSH_MODEL: inputs.model }),
      ...(inputs['model-base-url'] && { DSH_MODEL_BASE_URL: inputs['model-base-url'] }),
      ...(inputs['sandbox-image'] && { DSH_SANDBOX_IMAGE: inputs['sandbox-image'] }),
    },
  };
}
