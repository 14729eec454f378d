import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { RequestListener, Server } from 'node:http';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from '@jest/globals';
import { checkSandbox } from '../../src/docker/check-sandbox.ts';
import { asEngineError, checkEngine, checkImage, connectEngine } from '../../src/docker/engine.ts';
import { IMAGE } from './support/sandbox-bench.ts';

const real = connectEngine(process.env['DOCKER_HOST']);
const servers: Server[] = [];
const folders: string[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

/** An engine that answers as it is told, at a socket of its own. */
async function fakeEngine(listener: RequestListener): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'dsh-engine-'));
  const server = createServer(listener).listen(join(folder, 'docker.sock'));
  folders.push(folder);
  servers.push(server);
  await once(server, 'listening');
  return `unix://${join(folder, 'docker.sock')}`;
}

const unavailable = (hint: RegExp) => ({
  code: 'SANDBOX_UNAVAILABLE',
  hint: expect.stringMatching(hint) as unknown,
});

describe('cases', () => {
  it.each(['unix:///nowhere/docker.sock', 'tcp://127.0.0.1:1'])(
    'N1 says what to do when no engine answers at %s',
    async (host) => {
      await expect(checkEngine(connectEngine(host))).rejects.toMatchObject(
        unavailable(/Start the Docker engine|DOCKER_HOST/),
      );
    },
  );

  it('N1 says what to do when the socket may not be used', () => {
    const cause = Object.assign(new Error('connect EACCES /var/run/docker.sock'), { code: 'EACCES' });

    expect(asEngineError(cause)).toMatchObject({ ...unavailable(/docker.* group/), cause });
  });

  it('N6 gives up on an engine that takes the connection and says nothing, and hangs up', async () => {
    let hungUp = false;
    const host = await fakeEngine((request) => void request.socket.once('close', () => (hungUp = true)));

    await expect(checkEngine(connectEngine(host), 200)).rejects.toMatchObject(unavailable(/DOCKER_HOST/));

    for (let waited = 0; !hungUp && waited < 2_000; waited += 20) await sleep(20);
    expect(hungUp).toBe(true);
  });

  it('N2 names an image that is not there and how to get it', async () => {
    const check = checkSandbox(real, { image: 'dsh-no-such-image:1' });

    await expect(check).rejects.toMatchObject({
      ...unavailable(/docker pull dsh-no-such-image:1/),
      message: expect.stringContaining('dsh-no-such-image:1') as unknown,
    });
  });

  it('N2 refuses an image for another architecture', async () => {
    const engine = { ...(await checkEngine(real)), arch: 's390x' };

    await expect(checkImage(real, IMAGE, engine)).rejects.toThrow(/is made for linux\/.*s390x/);
  });
});

describe('bot-security', () => {
  it('X2 checks engine, image and runtime before anything runs, and pins the image by id', async () => {
    const { engine, imageId } = await checkSandbox(real, { image: IMAGE, runtime: 'runc' });

    expect(engine.os).toBe('linux');
    expect(imageId).toMatch(/^sha256:[0-9a-f]{64}$/);
    await expect(checkSandbox(real, { image: IMAGE, runtime: 'kata' })).rejects.toMatchObject(unavailable(/kata/));
  });

  it('X2 refuses an engine for other containers than Linux ones', async () => {
    const host = await fakeEngine((_request, response) => {
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ Version: '1', Os: 'windows', Arch: 'amd64' }));
    });

    await expect(checkEngine(connectEngine(host))).rejects.toMatchObject(unavailable(/Linux containers/));
  });
});
