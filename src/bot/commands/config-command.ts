import { DEFAULT_CONFIG } from '../../config/default-config.ts';
import { fenced } from '../../publish/markdown/fenced.ts';
import type { SessionSettings } from '../../store/records.ts';
import type { ConfigLayers } from '../job/services.ts';
import { textsFor } from './command-texts.ts';
import { success } from './human-command.ts';
import type { HumanCommandHandler } from './human-command.ts';

/** The settings in force here, each with where it comes from. Addresses of the operator's own servers are not told. */
export const configCommand: HumanCommandHandler = async (command) => {
  const { intake, place, services } = command;
  const settings = await services.records.settings.get(intake.session);
  const lines = configLines(place.layers, settings);
  return success([textsFor(command).configLead, '', fenced(services.redact(lines.join('\n')), 'yaml')].join('\n'));
};

const HIDDEN = new Set(['modelBaseUrl', 'hooks', 'allow']);

/** `key: value  # source`, by key. Pure. */
export function configLines(layers: ConfigLayers, { model, budget }: SessionSettings): string[] {
  const session = {
    ...(model !== undefined && { model }),
    ...(budget !== undefined && { budget: { turn: { cost: budget } } }),
  };
  const sources: [string, object][] = [
    ['default', DEFAULT_CONFIG],
    ['operator', layers.operator],
    ['.github/dsh.yml', layers.repository],
    ['inputs', layers.inputs],
    ['session', session],
  ];
  const effective = new Map<string, { value: unknown; source: string }>();
  for (const [source, layer] of sources)
    for (const [key, value] of leaves(layer)) effective.set(key, { value, source });
  return [...effective]
    .filter(([key]) => !HIDDEN.has(key.split('.')[0] ?? ''))
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, { value, source }]) => `${key}: ${JSON.stringify(value) ?? 'none'}  # ${source}`);
}

function leaves(layer: object, path: readonly string[] = []): [string, unknown][] {
  return Object.entries(layer).flatMap(([key, value]): [string, unknown][] => {
    if (value === undefined && path.length > 0) return [];
    const isNested = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isNested ? leaves(value as object, [...path, key]) : [[[...path, key].join('.'), value]];
  });
}
