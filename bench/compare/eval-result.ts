import * as z from 'zod';

const count = z.number().nonnegative();

/** One task of one run. `resolved` counts issues solved or defects found, `told` findings, `right` those on a defect. */
const EvalRow = z.strictObject({
  id: z.string().min(1),
  run: z.int().nonnegative(),
  resolved: count,
  regressions: count.default(0),
  told: count.optional(),
  right: count.optional(),
  /** US dollars, or tokens where the price is not known. */
  cost: count,
});

/** What an evaluation writes: some runs of one model over the same tasks, under one version of the prompts (PR65). */
export const EvalResult = z.strictObject({
  model: z.string().min(1),
  promptVersions: z.array(z.string()),
  rows: z.array(EvalRow).nonempty(),
});
export type EvalRow = z.output<typeof EvalRow>;
export type EvalResult = z.output<typeof EvalResult>;
