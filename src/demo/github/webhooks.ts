import { randomUUID } from 'node:crypto';
import { DeliveryQueue, type Delivery } from './delivery-queue.ts';
import { fullNameOf, type Hub } from './hub.ts';
import type { Account, Installation, Repository } from './records.ts';
import { accountView, installationView } from './views/account.ts';
import { repositoryView } from './views/repository.ts';

export interface EventRecord {
  name: string;
  action: string | undefined;
  payload: Record<string, unknown>;
  at: Date;
}

/** What happened, and who is told: every event is kept, and the app hears those of repositories it is installed on. */
export class Webhooks {
  readonly events: EventRecord[] = [];
  readonly queue: DeliveryQueue;
  readonly #hub: Hub;

  constructor(hub: Hub, secret: string) {
    this.#hub = hub;
    this.queue = new DeliveryQueue(hub, secret);
  }

  /** Records an event of a repository and queues its delivery, if the app listens to it and is not suspended there. */
  emit(name: string, repository: Repository, sender: Account, fields: Record<string, unknown>): void {
    const hub = this.#hub;
    const common = {
      repository: repositoryView(hub, repository),
      ...organization(hub, repository),
      sender: accountView(hub, sender),
    };
    const payload = this.#record(name, { ...common, ...fields });
    const installation = hub.installationOf(repository);
    if (!installation || installation.suspendedAt || !hub.app.events.includes(name)) return;
    const node = { id: installation.id, node_id: `INST_${installation.id}` };
    this.#deliver(name, { ...payload, installation: node }, installation, repository.id);
  }

  /** Records that the app was suspended, taken away and the like; it is told in any case. */
  emitInstallation(action: string, installation: Installation): void {
    const hub = this.#hub;
    const own = hub.repositories.filter(({ owner }) => owner === installation.account);
    const repositories = own.map((one) => ({
      id: one.id,
      node_id: `R_${one.id}`,
      name: one.name,
      full_name: fullNameOf(one),
      private: one.private,
    }));
    const fields = {
      action,
      installation: installationView(hub, installation),
      repositories,
      sender: accountView(hub, installation.account),
    };
    this.#deliver('installation', this.#record('installation', fields), installation, null);
  }

  /** Sends a delivery again under its own guid. */
  redeliver(delivery: Delivery): void {
    this.queue.add(delivery, true);
  }

  /** The payload as the wire carries it: later changes of state must not reach it. */
  #record(name: string, fields: Record<string, unknown>): Record<string, unknown> {
    const payload = JSON.parse(JSON.stringify(fields)) as Record<string, unknown>;
    this.events.push({ name, action: actionOf(payload), payload, at: this.#hub.now() });
    return payload;
  }

  #deliver(event: string, payload: Record<string, unknown>, { id }: Installation, repositoryId: number | null): void {
    this.queue.add({
      guid: randomUUID(),
      event,
      action: actionOf(payload) ?? null,
      payload,
      repositoryId,
      installationId: id,
    });
  }
}

const actionOf = ({ action }: Record<string, unknown>) => (typeof action === 'string' ? action : undefined);

function organization(hub: Hub, { owner: { login, id, type } }: Repository): Record<string, unknown> {
  if (type !== 'Organization') return {};
  const url = `${hub.apiUrl}/orgs/${login}`;
  return { organization: { login, id, node_id: `O_${id}`, url, repos_url: `${url}/repos`, description: null } };
}
