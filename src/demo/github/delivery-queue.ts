import { createHmac } from 'node:crypto';
import type { Hub } from './hub.ts';

export interface Delivery {
  id: number;
  guid: string;
  event: string;
  action: string | null;
  payload: Record<string, unknown>;
  repositoryId: number | null;
  installationId: number;
  deliveredAt: Date;
  redelivery: boolean;
  durationSeconds: number;
  /** What the target answered; 0 where nobody answered, undefined where there was no target. */
  statusCode: number | undefined;
}

export type NewDelivery = Pick<Delivery, 'guid' | 'event' | 'action' | 'payload' | 'repositoryId' | 'installationId'>;

const answerWithinMs = 10_000;

/** Signed POSTs to the app, one after the other in the order things happened. */
export class DeliveryQueue {
  readonly deliveries: Delivery[] = [];
  readonly #hub: Hub;
  readonly #secret: string;
  #target: string | undefined;
  #queue: Promise<void> = Promise.resolve();

  constructor(hub: Hub, secret: string) {
    this.#hub = hub;
    this.#secret = secret;
  }

  get target(): string | undefined {
    return this.#target;
  }

  setTarget(url: string | undefined): void {
    this.#target = url;
  }

  add({ guid, event, action, payload, repositoryId, installationId }: NewDelivery, redelivery = false): void {
    const [id, deliveredAt] = [this.#hub.nextId(), this.#hub.now()];
    const ids = { id, guid, repositoryId, installationId };
    const delivery = {
      ...ids,
      event,
      action,
      payload,
      deliveredAt,
      redelivery,
      durationSeconds: 0,
      statusCode: undefined,
    };
    this.deliveries.push(delivery);
    this.#queue = this.#queue.then(() => this.#post(delivery));
  }

  /** Resolves once everything queued so far has been answered or given up. */
  async settled(): Promise<void> {
    let seen: Promise<void> | undefined;
    while (seen !== this.#queue) {
      seen = this.#queue;
      await seen;
    }
  }

  async #post(delivery: Delivery): Promise<void> {
    if (this.#target === undefined) return;
    const started = performance.now();
    delivery.statusCode = await this.#send(this.#target, delivery);
    delivery.durationSeconds = (performance.now() - started) / 1000;
  }

  async #send(target: string, delivery: Delivery): Promise<number> {
    const body = JSON.stringify(delivery.payload);
    const signal = AbortSignal.timeout(answerWithinMs);
    try {
      const response = await fetch(target, { method: 'POST', body, headers: this.#headers(delivery, body), signal });
      await response.arrayBuffer();
      return response.status;
    } catch {
      return 0; // nobody listens, or nobody answers in time: GitHub notes it and goes on
    }
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
