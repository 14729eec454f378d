import { randomUUID, type KeyObject } from 'node:crypto';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { hasPermission, isInstalledOn, mayPush, maySee } from '../access.ts';
import { authenticate } from '../authenticate.ts';
import { afterRefUpdate } from '../changes/ref-updates.ts';
import { runBackend } from './http-backend.ts';
import { accountOf, fullNameOf, type Hub } from '../hub.ts';
import type { Account, Actor, Repository } from '../records.ts';
import { Refusal } from '../refusal.ts';
import { logRequest } from '../rest/log-request.ts';

const route = /^\/([^/]+)\/([^/]+?)(?:\.git)?\/(info\/refs|git-upload-pack|git-receive-pack)$/;

/** Whether a request is git's own. */
export const isGitRequest = (path: string): boolean => route.test(path);

/** Serves clone, fetch and push through `git http-backend`, with GitHub's refusals in front. */
export function smartHttp(hub: Hub, publicKey: KeyObject) {
  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const url = new URL(request.url ?? '/', hub.url);
    const [, owner, name, service = ''] = route.exec(url.pathname)!;
    const pushes = service === 'git-receive-pack' || url.searchParams.get('service') === 'git-receive-pack';
    let actor: Actor = { kind: 'anonymous' };
    try {
      actor = authenticate(hub, publicKey, request.headers.authorization);
      const repository = hub.findRepository(`${owner}/${name}`);
      const account = checkAccess(repository, actor, pushes);
      await serve(hub, repository!, actor, account, service, request, response);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      const challenge: Record<string, string> =
        error.status === 401 ? { 'www-authenticate': 'Basic realm="GitHub"' } : {};
      request.resume();
      response.writeHead(error.status, { 'content-type': 'text/plain', ...challenge }).end(error.message);
    } finally {
      const seen = { method: request.method ?? 'GET', path: url.pathname, url, headers: request.headers };
      logRequest(hub, seen, actor, { status: response.statusCode, git: true });
    }
  };
}

function checkAccess(repository: Repository | undefined, actor: Actor, pushes: boolean): Account | undefined {
  if (actor.kind === 'anonymous' && (pushes || !repository || repository.private))
    throw new Refusal(401, 'Authentication required');
  if (!repository || !maySee(repository, actor)) throw new Refusal(404, 'Repository not found.');
  if (repository.disabled) throw new Refusal(403, 'Access to this repository has been disabled.');
  const account = accountOf(actor);
  const readsPrivate = actor.kind === 'app' && repository.private && !hasPermission(actor.permissions, 'contents:read');
  if (readsPrivate || (pushes && !isPusher(repository, actor))) {
    throw new Refusal(403, `Permission to ${fullNameOf(repository)}.git denied to ${account?.login ?? 'anonymous'}.`);
  }
  if (pushes && repository.archived) throw new Refusal(403, 'This repository was archived so it is read-only.');
  return account;
}

function isPusher(repository: Repository, actor: Actor): boolean {
  if (actor.kind === 'person') return mayPush(repository, actor.account);
  return actor.kind === 'app' && isInstalledOn(repository, actor) && hasPermission(actor.permissions, 'contents:write');
}

async function serve(
  hub: Hub,
  repository: Repository,
  actor: Actor,
  account: Account | undefined,
  service: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const movedFile = join(hub.root, `moved-${randomUUID()}`);
  const exchange = { hub, repository, actor, service, request, response, movedFile };
  await runBackend(exchange, () => tellMoved(hub, repository, movedFile, account));
}

/** Reads what the hook wrote; nothing was written where nothing moved. */
async function tellMoved(hub: Hub, repository: Repository, movedFile: string, by: Account | undefined): Promise<void> {
  const moved = await readFile(movedFile, 'utf8').catch(() => '');
  await rm(movedFile, { force: true });
  for (const line of moved.split('\n').filter(Boolean)) {
    const [before = '', after = '', ref = ''] = line.split(' ');
    await afterRefUpdate(hub, repository, { ref, before, after }, by!);
  }
}
