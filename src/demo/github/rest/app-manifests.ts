import { createHash } from 'node:crypto';
import { notFound } from '../refusal.ts';
import { appView } from '../views/account.ts';
import { created, serverRoute, type Route } from './route.ts';

export const manifestRoutes: Route[] = [
  serverRoute('POST /app-manifests/{code}/conversions', ({ hub, params }) => {
    // A code is good for one conversion.
    const credentials = hub.manifestCodes.get(params.code!);
    if (!credentials || !hub.manifestCodes.delete(params.code!)) throw notFound();
    const secret = createHash('sha256').update(`client ${params.code}`).digest('hex').slice(0, 40);
    return created({ ...appView(hub, hub.app), ...credentials, client_secret: secret });
  }),
];
