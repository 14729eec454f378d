import { spawn } from 'node:child_process';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { basename } from 'node:path';
import { hasPermission, hasRole } from '../access.ts';
import { cleanEnv } from './git.ts';
import { accountOf, type Hub } from '../hub.ts';
import { identityOf } from '../identity.ts';
import type { Actor, Repository } from '../records.ts';

interface Exchange {
  hub: Hub;
  repository: Repository;
  actor: Actor;
  service: string;
  request: IncomingMessage;
  response: ServerResponse;
  /** Where the hook writes what a push moved. */
  movedFile: string;
}

/** `beforeEnd` runs when git is done and the client does not know it yet, so that whoever has pushed finds everything up to date. */
export async function runBackend(exchange: Exchange, beforeEnd: () => Promise<void>): Promise<void> {
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

function environment({ hub, repository, actor, service, request, movedFile }: Exchange): Record<string, string> {
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
    GIT_PROJECT_ROOT: hub.root,
    GIT_HTTP_EXPORT_ALL: '1',
    PATH_INFO: `/${basename(repository.gitDir)}/${service}`,
    REQUEST_METHOD: request.method ?? 'GET',
    QUERY_STRING: (request.url ?? '').split('?')[1] ?? '',
    CONTENT_TYPE: headers['content-type'] ?? '',
    REMOTE_ADDR: '127.0.0.1',
    DEMO_MOVED: movedFile,
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
