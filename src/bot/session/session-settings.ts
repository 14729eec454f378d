import type { Config } from '../../config/config.ts';
import type { SessionSettings } from '../../store/records.ts';

/** The settings of a job with what people chose for its session; a budget ends at what the operator allows. Pure. */
export function withSettings(config: Config, { model, budget }: SessionSettings, costBound: number): Config {
  const turn = { ...config.budget.turn, ...(budget !== undefined && { cost: Math.min(budget, costBound) }) };
  return { ...config, ...(model !== undefined && { model }), budget: { ...config.budget, turn } };
}
