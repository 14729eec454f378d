import { AgentServer } from './agent-server.ts';
import { relayEgress } from './relay-egress.ts';

/**
 * The sandbox agent: the one process that the host talks to inside a session's container. Runs what it is told and
 * ends with its input. Arguments: how long it may live, in milliseconds.
 */
const lifetimeMs = Number(process.argv[2]);
setTimeout(() => process.exit(0), lifetimeMs);

const server = new AgentServer({ egress: await relayEgress() });
process.stdin.on('data', (chunk) => server.receive(chunk));
process.stdin.on('end', () => process.exit(0));
process.stdout.on('error', () => process.exit(0));
