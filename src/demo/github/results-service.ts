import { createHash, randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { addArtifact } from './changes/workflow-runs.ts';
import type { Hub } from './hub.ts';
import type { Artifact, Runtime } from './records.ts';

interface Upload {
  readonly name: string;
  readonly runtime: Runtime;
  readonly signature: string;
  bytes: Buffer | undefined;
}
type Message = Readonly<Record<string, unknown>>;
type Answer = readonly [status: number, body: Message];

const SERVICE = '/twirp/github.actions.results.api.v1.ArtifactService/';
const UPLOADS = '/-/uploads/';

export const isResultsRequest = (path: string): boolean => path.startsWith(SERVICE) || path.startsWith(UPLOADS);

/** What a runner hands to a job for its artifacts: a token that names the run and its job. */
export function runtimeToken(hub: Hub, runtime: Omit<Runtime, 'job'>): string {
  const job = `job-${hub.nextId()}`;
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const scp = `Actions.GenericRead:0 Actions.Results:run-${runtime.runId}:${job}`;
  const token = `${part({ alg: 'RS256' })}.${part({ scp })}.${randomBytes(16).toString('hex')}`;
  hub.runtimes.set(token, { ...runtime, job });
  return token;
}

/** GitHub's service for the artifacts of runs, spoken as Twirp over JSON, with the storage that it signs addresses of. */
export function resultsService(hub: Hub) {
  const uploads = new Map<string, Upload>();

  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const url = new URL(request.url ?? '/', hub.url);
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    const bytes = Buffer.concat(chunks);
    const fault = hub.faults.take(request.method ?? 'GET', url.pathname);
    if (fault?.status && !fault.applied) return void response.writeHead(fault.status).end('{}');
    if (url.pathname.startsWith(UPLOADS)) return void response.writeHead(store(request, url, bytes)).end();
    const [status, body] = call(url.pathname.slice(SERVICE.length), request, bytes);
    response.writeHead(fault?.status ?? status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  };

  function store(request: IncomingMessage, url: URL, bytes: Buffer): number {
    const upload = uploads.get(url.pathname.slice(UPLOADS.length));
    if (!upload || url.searchParams.get('sig') !== upload.signature) return 403;
    if (request.method !== 'PUT' || request.headers['x-ms-blob-type'] !== 'BlockBlob') return 400;
    upload.bytes = bytes;
    return 201;
  }

  function call(method: string, { headers }: IncomingMessage, bytes: Buffer): Answer {
    const runtime = hub.runtimes.get(String(headers.authorization ?? '').replace('Bearer ', ''));
    if (!runtime) return refusal(401, 'unauthenticated', 'the token is not valid');
    const wanted = JSON.parse(bytes.toString()) as Message;
    const isOwn = wanted.workflow_run_backend_id === `run-${runtime.runId}`;
    if (!isOwn) return refusal(403, 'permission_denied', 'the token is of another run');
    switch (method) {
      case 'CreateArtifact':
        return create(String(wanted.name), runtime);
      case 'FinalizeArtifact':
        return finalize(wanted, runtime);
      case 'ListArtifacts':
        return list(wanted, runtime);
      case 'DeleteArtifact':
        return remove(String(wanted.name), runtime);
      default:
        return refusal(404, 'bad_route', `no handler for ${method}`);
    }
  }

  function create(name: string, runtime: Runtime): Answer {
    if (ofRun(runtime).some((artifact) => artifact.name === name))
      return refusal(409, 'already_exists', 'an artifact with this name already exists on the workflow run');
    const [id, signature] = [String(hub.nextId()), randomBytes(16).toString('hex')];
    uploads.set(id, { name, runtime, signature, bytes: undefined });
    return [200, { ok: true, signed_upload_url: `${hub.url}${UPLOADS}${id}?sig=${signature}` }];
  }

  function finalize({ name, size, hash }: Message, runtime: Runtime): Answer {
    const [id, upload] = [...uploads].find(([, one]) => one.name === name && one.runtime === runtime) ?? [];
    if (!id || !upload?.bytes) return refusal(404, 'not_found', 'nothing was uploaded');
    const digest = `sha256:${createHash('sha256').update(upload.bytes).digest('hex')}`;
    if (size !== String(upload.bytes.length) || hash !== digest)
      return refusal(400, 'invalid_argument', 'size and hash are not those of what was uploaded');
    uploads.delete(id);
    const { repository, runId, headRepositoryId } = runtime;
    const made = addArtifact(hub, repository, upload.name, upload.bytes, runId);
    made.headRepositoryId = headRepositoryId;
    return [200, { ok: true, artifact_id: String(made.id) }];
  }

  function list({ name_filter: wanted }: Message, runtime: Runtime): Answer {
    const found = ofRun(runtime).filter(({ name }) => wanted === undefined || name === wanted);
    const artifacts = found.map(({ id, name, zip }) => ({
      ...{ workflow_run_backend_id: `run-${runtime.runId}`, workflow_job_run_backend_id: runtime.job },
      ...{ database_id: String(id), name, size: String(zip.length) },
    }));
    return [200, { artifacts }];
  }

  function remove(name: string, runtime: Runtime): Answer {
    const gone = ofRun(runtime).find((artifact) => artifact.name === name);
    if (!gone) return refusal(404, 'not_found', 'there is no such artifact');
    const { repository } = runtime;
    repository.artifacts = repository.artifacts.filter((artifact) => artifact !== gone);
    return [200, { ok: true, artifact_id: String(gone.id) }];
  }
}

function ofRun({ repository, runId }: Runtime): Artifact[] {
  return repository.artifacts.filter((artifact) => artifact.runId === runId);
}

function refusal(status: number, code: string, msg: string): Answer {
  return [status, { code, msg }];
}
