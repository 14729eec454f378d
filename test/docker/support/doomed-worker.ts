import { connectEngine } from '../../../src/docker/engine.ts';
import { openSandbox } from '../../../src/docker/open-sandbox.ts';

/** Opens a sandbox, runs something in it and waits to be killed. */
const [tree, session] = process.argv.slice(2) as [string, string];
const docker = connectEngine(process.env['DOCKER_HOST']);
const image = process.env['DSH_SANDBOX_IMAGE'] ?? 'dsh-sandbox:local';
const labels = { session, installation: 'test', boot: 'doomed' };
const sandbox = await openSandbox({ docker, image, mode: 'workspace-write', tree, labels });
const agent = await sandbox.agent();
const caps = { forwardBytes: 1_000, tailBytes: 1_000 };
const argv = ['bash', '-c', 'sleep 600'];
agent.spawn({ op: 'spawn', argv, cwd: '/workspace', env: {}, caps, stdin: false, drainMs: 100 }, undefined, {
  output: () => {},
});
console.log('ready');
setInterval(() => {}, 1_000);
