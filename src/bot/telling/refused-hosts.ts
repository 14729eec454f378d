import type { SessionEvent } from '../../harness/session/types.ts';
import '../session/session-events.ts';

export interface RefusedHost {
  readonly host: string;
  readonly port: number;
  readonly reason: string;
}

/** The hosts that the network refused in these events, each once. Pure. */
export function refusedHosts(events: readonly SessionEvent[]): RefusedHost[] {
  const hosts = new Map<string, RefusedHost>();
  for (const event of events) {
    if (event.type !== 'sandbox/network') continue;
    for (const { host, port, verdict, reason = 'refused' } of event.data.requests) {
      if (verdict === 'refused') hosts.set(`${host}:${port} ${reason}`, { host, port, reason });
    }
  }
  return [...hosts.values()];
}
