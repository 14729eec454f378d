import { wokenRequest } from '../bot/people/wake/wake-delivery.ts';
import type { Handled } from '../handle-event.ts';
import { ignored, isFinal } from '../intake/ignored.ts';
import { placeOf } from '../triggers/place-of.ts';
import { readEvent } from '../triggers/read-event.ts';
import { readInstallation } from '../triggers/read-installation.ts';
import type { GitHubEvent } from '../triggers/reading.ts';
import type { TriggerConfig } from '../triggers/trigger-config.ts';

/**
 * What became of an event that is nobody's, as most are: neither a bot nor GitHub is needed to tell, and a runner waits for
 * nothing. Undefined for every other event. Pure.
 */
export function endsAtOnce(event: GitHubEvent, config: TriggerConfig): Handled[] | undefined {
  if (readInstallation(event) ?? wokenRequest(event)) return undefined;
  const readings = readEvent(event, config);
  return placeOf(event) && !readings.every(isFinal) ? undefined : readings.map(ignored);
}
