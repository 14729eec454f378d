/** What was asked of the network. Of a request only host and port are kept. */
export interface NetworkRequest {
  readonly host: string;
  readonly port: number;
  readonly verdict: 'allowed' | 'refused';
  readonly reason?: string;
}
export interface CountedRequest extends NetworkRequest {
  readonly count: number;
}

/** Kept apart at most; a command could make up any number of hosts. */
const MAX_ENTRIES = 200;
const MANY = '(further hosts)';

/** Counts equal requests until somebody takes them. */
export class RequestLog {
  #entries = new Map<string, { request: NetworkRequest; count: number }>();

  readonly add = (request: NetworkRequest): void => {
    const known = this.#entries.get(keyOf(request));
    const kept =
      known || this.#entries.size < MAX_ENTRIES ? request : { host: MANY, port: 0, verdict: request.verdict };
    const entry = known ?? this.#entries.get(keyOf(kept));
    if (entry) entry.count += 1;
    else this.#entries.set(keyOf(kept), { request: kept, count: 1 });
  };

  /** What came since the last take, in order of first appearance. */
  take(): CountedRequest[] {
    const taken = [...this.#entries.values()].map(({ request, count }) => ({ ...request, count }));
    this.#entries = new Map();
    return taken;
  }
}

function keyOf({ host, port, verdict, reason = '' }: NetworkRequest): string {
  return [host, port, verdict, reason].join(' ');
}

/** A host as it was written, made fit for a log: it may be anything that a command sent. */
export function loggedHost(spelled: string): string {
  return /^[\w.:%-]{1,253}$/.test(spelled) ? spelled : '(not a host name)';
}
