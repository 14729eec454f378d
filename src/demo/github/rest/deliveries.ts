import { notFound } from '../refusal.ts';
import { asApp } from './app.ts';
import { ok, serverRoute, type Call, type Route } from './route.ts';
import { timestamp } from '../views/timestamp.ts';
import type { Delivery } from '../delivery-queue.ts';

export const deliveryRoutes: Route[] = [
  serverRoute(
    'GET /app/hook/config',
    asApp(({ hub }) => {
      const url = hub.webhooks.queue.target;
      return ok({ content_type: 'json', insecure_ssl: '0', secret: '********', ...(url !== undefined && { url }) });
    }),
  ),
  serverRoute(
    'GET /app/hook/deliveries',
    asApp((call) => {
      const perPage = Math.min(100, Number(call.query.per_page ?? 30));
      const sent = call.hub.webhooks.queue.deliveries.filter(({ statusCode }) => statusCode !== undefined).toReversed();
      const wanted = sent.filter(({ statusCode }) => matchesStatus(call.query.status, statusCode!));
      const start = call.query.cursor ? wanted.findIndex(({ id }) => id === Number(call.query.cursor)) : 0;
      const next = wanted[start + perPage];
      return {
        status: 200,
        body: wanted.slice(start, start + perPage).map(itemView),
        ...(next && { headers: { link: nextLink(call, next.id) } }),
      };
    }),
  ),
  serverRoute(
    'GET /app/hook/deliveries/{delivery_id}',
    asApp((call) => {
      const delivery = findDelivery(call);
      const request = {
        headers: { 'X-GitHub-Delivery': delivery.guid, 'X-GitHub-Event': delivery.event },
        payload: delivery.payload,
      };
      return ok({ ...itemView(delivery), url: '', request, response: { headers: {}, payload: null } });
    }),
  ),
  serverRoute(
    'POST /app/hook/deliveries/{delivery_id}/attempts',
    asApp((call) => {
      call.hub.webhooks.redeliver(findDelivery(call));
      return { status: 202, body: {} };
    }),
  ),
];

const succeeded = (statusCode: number) => statusCode >= 200 && statusCode < 300;

const matchesStatus = (wanted: string | undefined, statusCode: number) =>
  wanted === undefined || (wanted === 'success') === succeeded(statusCode);

function nextLink({ url }: Call, cursor: number): string {
  const next = new URL(url);
  next.searchParams.set('cursor', String(cursor));
  return `<${next.href}>; rel="next"`;
}

function itemView({
  id,
  guid,
  deliveredAt,
  redelivery,
  durationSeconds,
  statusCode = 0,
  event,
  action,
  installationId,
  repositoryId,
}: Delivery) {
  const status =
    statusCode === 0
      ? 'failed to connect to host'
      : succeeded(statusCode)
        ? 'OK'
        : `Invalid HTTP Response: ${statusCode}`;
  return {
    id,
    guid,
    delivered_at: timestamp(deliveredAt),
    redelivery,
    duration: durationSeconds,
    status,
    status_code: statusCode,
    event,
    action,
    installation_id: installationId,
    repository_id: repositoryId,
    throttled_at: null,
  };
}

function findDelivery({ hub, params }: Call): Delivery {
  const delivery = hub.webhooks.queue.deliveries.find(({ id }) => id === Number(params.delivery_id));
  if (!delivery) throw notFound();
  return delivery;
}
