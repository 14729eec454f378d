import { spawn } from 'node:child_process';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { basename } from 'node:path';
import type { KeyObject } from 'node:crypto';
import { hasPermission, hasRole, isInstalledOn, maySee, mayPush } from '../access.ts';
import { authenticate } from '../authenticate.ts';
import { accountOf, fullNameOf, type Hub } from '../hub.ts';
import { identityOf } from '../identity.ts';
import type { Account, Actor, Repository } from '../records.ts';
import { afterRefUpdate, zeroSha } from '../ref-updates.ts';
import { Refusal } from '../refusal.ts';
import { cleanEnv } from './git.ts';
import { listRefs } from './refs.ts';

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
      log(hub, request, url, response.statusCode, actor);
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
  const exchange = { hub, repository, actor, service, request, response };
  if (service !== 'git-receive-pack') return runBackend(exchange, async () => {});
  const before = await listRefs(hub.git(repository), 'refs/');
  await runBackend(exchange, () => tellMoved(hub, repository, before, account!));
}

async function tellMoved(
  hub: Hub,
  repository: Repository,
  before: Map<string, { sha: string }>,
  by: Account,
): Promise<void> {
  const after = await listRefs(hub.git(repository), 'refs/');
  for (const ref of new Set([...before.keys(), ...after.keys()])) {
    const update = { ref, before: before.get(ref)?.sha ?? zeroSha, after: after.get(ref)?.sha ?? zeroSha };
    if (!ref.startsWith('refs/pull/')) await afterRefUpdate(hub, repository, update, by);
  }
}

interface Exchange {
  hub: Hub;
  repository: Repository;
  actor: Actor;
  service: string;
  request: IncomingMessage;
  response: ServerResponse;
}

/** `beforeEnd` runs when git is done and the client does not know it yet, so that whoever has pushed finds everything up to date. */
async function runBackend(exchange: Exchange, beforeEnd: () => Promise<void>): Promise<void> {
  const { request, response } = exchange;
  const backend = spawn('git', ['http-backend'], { env: environment(exchange) });
  const failed = new Promise<never>((_, reject) => backend.on('error', reject));
  backend.stdin.on('error', () => {}); // the backend may answer before it has read the whole request
  request.pipe(backend.stdin);

  const chunks = backend.stdout[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  let head = Buffer.alloc(0);
  while (!head.includes('\r\n\r\n')) {
    const { value, done } = await Promise.race([chunks.next(), failed]);
    if (done) return void response.writeHead(500).end();
    head = Buffer.concat([head, value]);
  }
  const split = head.indexOf('\r\n\r\n');
  const { status, headers } = parseHead(head.subarray(0, split).toString());
  response.writeHead(status, headers).write(head.subarray(split + 4));
  for (let next = await chunks.next(); !next.done; next = await chunks.next()) response.write(next.value);
  await beforeEnd();
  response.end();
}

function environment({ hub, repository, actor, service, request }: Exchange): Record<string, string> {
  const account = accountOf(actor);
  const { name, email } = account ? identityOf(hub, account) : { name: 'anonymous', email: '' };
  const { headers } = request;
  const optional = {
    CONTENT_LENGTH: headers['content-length'],
    HTTP_CONTENT_ENCODING: headers['content-encoding'],
    GIT_PROTOCOL: headers['git-protocol'],
  };
  const given = Object.entries(optional).filter((entry): entry is [string, string] => typeof entry[1] === 'string');
  return {
    ...cleanEnv(),
    ...{
      GIT_PROJECT_ROOT: hub.root,
      GIT_HTTP_EXPORT_ALL: '1',
      PATH_INFO: `/${basename(repository.gitDir)}/${service}`,
    },
    ...{ REQUEST_METHOD: request.method ?? 'GET', QUERY_STRING: (request.url ?? '').split('?')[1] ?? '' },
    ...{ CONTENT_TYPE: headers['content-type'] ?? '', REMOTE_ADDR: '127.0.0.1' },
    ...(account ? { REMOTE_USER: account.login, GIT_COMMITTER_NAME: name, GIT_COMMITTER_EMAIL: email } : {}),
    ...Object.fromEntries(given),
    ...refusalsFor(repository, actor),
  };
}

/** What the pre-receive hook has to refuse for this actor. */
function refusalsFor(repository: Repository, actor: Actor): Record<string, string> {
  const admin = actor.kind === 'person' && hasRole(repository, actor.account, 'admin');
  const mayWorkflows = actor.kind !== 'app' || hasPermission(actor.permissions, 'workflows:write');
  return {
    DEMO_PROTECTED: admin ? '' : [...repository.protectedBranches].map((name) => `refs/heads/${name}`).join(' '),
    DEMO_NO_WORKFLOWS: mayWorkflows ? '' : '1',
  };
}

function parseHead(head: string): { status: number; headers: Record<string, string> } {
  const fields = head
    .split('\r\n')
    .map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()] as const);
  const { status, ...headers } = Object.fromEntries(fields) as Record<string, string>;
  return { status: status ? Number.parseInt(status, 10) : 200, headers };
}

function log(hub: Hub, request: IncomingMessage, url: URL, status: number, actor: Actor): void {
  const { authorization, ...headers } = request.headers;
  const query = Object.fromEntries(url.searchParams);
  const actorName = accountOf(actor)?.login ?? 'anonymous';
  hub.requests.push({
    at: new Date(),
    kind: 'git',
    method: request.method ?? 'GET',
    path: url.pathname,
    query,
    headers,
    body: undefined,
    status,
    actor: actorName,
  });
}
