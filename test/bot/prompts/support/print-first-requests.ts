import { firstRequests } from './first-requests.ts';

process.stdout.write(JSON.stringify(await firstRequests()));
