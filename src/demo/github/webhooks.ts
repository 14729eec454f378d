import { createHmac, randomUUID } from 'node:crypto';
import type { Hub } from './hub.ts';
import type { Account, Repository } from './records.ts';
import { accountView } from './views/account.ts';
import { repositoryView } from './views/repository.ts';

export interface EventRecord {
  name: string;
  action: string | undefined;
  payload: Record<string, unknown>;
  repository: Repository;
  at: Date;
}

export interface Delivery {
  id: number;
  guid: string;
  event: string;
  action: string | null;
  payload: Record<string, unknown>;
  repositoryId: number;
  installationId: number;
  deliveredAt: Date;
  redelivery: boolean;
  durationSeconds: number;
  /** What the target answered; 0 where nobody answered, undefined where there was no target. */
  statusCode: number | undefined;
}

const answerWithinMs = 10_000;

/** Tells the app what happened: one signed POST per event, in the order things happened. */
export class Webhooks {
  readonly events: EventRecord[] = [];
  readonly deliveries: Delivery[] = [];
  readonly #hub: Hub;
  readonly #secret: string;
  #target: string | undefined;
  #queue: Promise<void> = Promise.resolve();

  constructor(hub: Hub, secret: string) {
    this.#hub = hub;
    this.#secret = secret;
  }

  setTarget(url: string | undefined): void {
    this.#target = url;
  }

  /** Records an event and queues its delivery, if the app is installed there and not suspended. */
  emit(name: string, repository: Repository, sender: Account, fields: Record<string, unknown>): void {
    const hub = this.#hub;
    const common = {
      repository: repositoryView(hub, repository),
      ...organization(hub, repository),
      sender: accountView(hub, sender),
    };
    const payload = asOnTheWire({ ...common, ...fields });
    const action = typeof payload.action === 'string' ? payload.action : undefined;
    this.events.push({ name, action, payload, repository, at: this.#hub.now() });

    const installation = this.#hub.installationOf(repository);
    if (!installation || installation.suspendedAt) return;
    const signed = {
      ...payload,
      installation: { id: installation.id, node_id: `MDIzOkludGVncmF0aW9uSW5zdGFsbGF0aW9u${installation.id}` },
    };
    this.#deliver(
      {
        guid: randomUUID(),
        event: name,
        action: action ?? null,
        payload: signed,
        repositoryId: repository.id,
        installationId: installation.id,
      },
      false,
    );
  }

  /** Sends a past delivery again, under the same guid. */
  redeliver(delivery: Delivery): void {
    this.#deliver(delivery, true);
  }

  /** Resolves once everything queued so far has been answered or given up. */
  async settled(): Promise<void> {
    let seen: Promise<void> | undefined;
    while (seen !== this.#queue) {
      seen = this.#queue;
      await seen;
    }
  }

  #deliver(
    source: Pick<Delivery, 'guid' | 'event' | 'action' | 'payload' | 'repositoryId' | 'installationId'>,
    redelivery: boolean,
  ): void {
    const { guid, event, action, payload, repositoryId, installationId } = source;
    const delivery: Delivery = {
      id: this.#hub.nextId(),
      guid,
      event,
      action,
      payload,
      repositoryId,
      installationId,
      deliveredAt: this.#hub.now(),
      redelivery,
      durationSeconds: 0,
      statusCode: undefined,
    };
    this.deliveries.push(delivery);
    this.#queue = this.#queue.then(() => this.#post(delivery));
  }

  async #post(delivery: Delivery): Promise<void> {
    if (this.#target === undefined) return;
    const started = performance.now();
    const body = JSON.stringify(delivery.payload);
    const headers = this.#headers(delivery, body);
    delivery.statusCode = await fetch(this.#target, {
      method: 'POST',
      body,
      headers,
      signal: AbortSignal.timeout(answerWithinMs),
    })
      .then(async (response) => {
        await response.arrayBuffer();
        return response.status;
      })
      .catch(() => 0);
    delivery.durationSeconds = (performance.now() - started) / 1000;
  }

  #headers(delivery: Delivery, body: string): Record<string, string> {
    return {
      'content-type': 'application/json',
      'user-agent': 'GitHub-Hookshot/demo',
      'x-github-event': delivery.event,
      'x-github-delivery': delivery.guid,
      'x-github-hook-installation-target-id': String(this.#hub.app.id),
      'x-github-hook-installation-target-type': 'integration',
      'x-hub-signature-256': `sha256=${createHmac('sha256', this.#secret).update(body).digest('hex')}`,
    };
  }
}

function organization(hub: Hub, repository: Repository): Record<string, unknown> {
  if (repository.owner.type !== 'Organization') return {};
  const { login, id } = repository.owner;
  return {
    organization: {
      login,
      id,
      node_id: `O_${id}`,
      url: `${hub.apiUrl}/orgs/${login}`,
      repos_url: `${hub.apiUrl}/orgs/${login}/repos`,
      description: null,
    },
  };
}

/** The payload as the wire would carry it: later changes of state must not reach it. */
const asOnTheWire = (value: Record<string, unknown>) => JSON.parse(JSON.stringify(value)) as Record<string, unknown>;
