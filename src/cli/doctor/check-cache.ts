import type { Env } from '../../config/env.ts';
import type { SessionPersistence } from '../../harness/session/persistence.ts';
import { missedCache, stepInputs } from '../../seams/token-meter/cached-input.ts';
import type { StepInput } from '../../seams/token-meter/cached-input.ts';
import { openStore } from '../../store/open-store.ts';
import type { StoreConfig } from '../../store/open-store.ts';
import { ok, skipped, warning } from './finding.ts';
import type { Check, Finding } from './finding.ts';

const NEWEST_SESSIONS = 20;

/** Whether what the newest sessions sent again came from the provider's cache (PR63). */
export function checkCache({ dataDir, DATABASE_URL: databaseUrl }: Env, now: () => Date): Check {
  return {
    name: 'prompt cache',
    mend: 'Look at the database first.',
    async run() {
      const steps = await readSteps({ dataDir, databaseUrl, now }).catch(() => undefined);
      return steps ? judgeCache(steps) : skipped('the database cannot be read');
    },
  };
}

async function readSteps(config: StoreConfig): Promise<StepInput[]> {
  const store = openStore(config);
  try {
    return await newestSteps(store.sessions);
  } finally {
    await store.close();
  }
}

/** Pure. */
export function judgeCache(steps: readonly StepInput[]): Omit<Finding, 'name'> {
  const sent = steps.reduce((sum, { cached, uncached }) => sum + cached + uncached, 0);
  if (sent === 0) return skipped('no session whose provider tells of a cache yet');
  const cached = steps.reduce((sum, step) => sum + step.cached, 0);
  const share = `${Math.floor((100 * cached) / sent)} % of ${sent} input tokens came from the cache`;
  const missed = missedCache(steps).length;
  if (missed === 0) return ok(share);
  return warning(
    `${share}; ${missed} of ${steps.length} steps paid again for what had been sent before.`,
    'Look for a proxy before the model that changes requests or spreads them over servers, or a plugin that changes earlier messages.',
  );
}

async function newestSteps(sessions: SessionPersistence): Promise<StepInput[]> {
  const newest = (await sessions.list()).toSorted((a, b) => b.createdAt - a.createdAt).slice(0, NEWEST_SESSIONS);
  const steps: StepInput[] = [];
  for (const { id } of newest) steps.push(...stepInputs((await sessions.inspect(id)).events));
  return steps;
}
