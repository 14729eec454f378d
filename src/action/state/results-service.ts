import { createHash } from 'node:crypto';
import { z } from 'zod';
import { DshError } from '../../errors.ts';
import { sendPatiently } from './send-patiently.ts';

export interface ResultsAccess {
  /** `ACTIONS_RESULTS_URL`. */
  readonly url: string;
  /** `ACTIONS_RUNTIME_TOKEN`. */
  readonly token: string;
}

const SERVICE = '/twirp/github.actions.results.api.v1.ArtifactService/';
/** The version of artifacts that are found by name as soon as they are there. */
const VERSION = 4;
const TAKEN = 409;

const Created = z.object({ ok: z.literal(true), signed_upload_url: z.url() });
const Finalized = z.object({ ok: z.literal(true) });
const Listed = z.object({
  artifacts: z
    .array(
      z.object({
        ...{ workflow_run_backend_id: z.string(), workflow_job_run_backend_id: z.string(), name: z.string() },
        size: z.union([z.string(), z.number()]).optional(),
      }),
    )
    .default([]),
});

/**
 * Uploads artifacts of the run that it runs in: created, put at the address that is signed for it, finalized. It speaks as
 * `@actions/artifact` does (https://github.com/actions/toolkit/tree/main/packages/artifact), which would make the bundle
 * half again as large and refuses every server but github.com and ghe.com.
 */
export class ResultsService {
  readonly #access: ResultsAccess;
  readonly #run: RunIds;

  /** Throws `STATE_UNAVAILABLE` where the token is none of a run. */
  constructor(access: ResultsAccess) {
    this.#access = access;
    this.#run = runIdsOf(access.token);
  }

  /** Replaces an artifact of that name which this run made before. It stays as long as the repository keeps artifacts. */
  async upload(name: string, zip: Buffer, signal: AbortSignal): Promise<void> {
    const artifact = { ...this.#run, name };
    const { signed_upload_url: target } = understood(Created, await this.#create(artifact, signal));
    await put(target, zip, signal);
    const hash = `sha256:${createHash('sha256').update(zip).digest('hex')}`;
    const size = String(zip.length);
    try {
      understood(Finalized, await this.#call('FinalizeArtifact', { ...artifact, size, hash }, signal));
    } catch (error) {
      // Where the answer was lost on its way, it is done, and to do it again is refused.
      const made = await this.#list(name, signal);
      if (!made.some((one) => String(one.size) === size)) throw error;
    }
  }

  async #create(artifact: RunIds & { name: string }, signal: AbortSignal): Promise<unknown> {
    const create = () => this.#call('CreateArtifact', { ...artifact, version: VERSION }, signal);
    try {
      return await create();
    } catch (error) {
      if ((error as { status?: unknown }).status !== TAKEN) throw error;
    }
    for (const { size: _, ...made } of await this.#list(artifact.name, signal))
      await this.#call('DeleteArtifact', made, signal);
    return create();
  }

  /** Those of that name which this run made. */
  async #list(name: string, signal: AbortSignal) {
    const listed = await this.#call('ListArtifacts', { ...this.#run, name_filter: name }, signal);
    return understood(Listed, listed).artifacts;
  }

  async #call(method: string, body: object, signal: AbortSignal): Promise<unknown> {
    const { url, token } = this.#access;
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` };
    const target = `${new URL(url).origin}${SERVICE}${method}`;
    const init = { method: 'POST', headers, body: JSON.stringify(body) };
    const response = await sendPatiently(method, target, init, signal);
    return response.json().catch(() => undefined);
  }
}

/** What the service answered. Throws `ARTIFACTS_REFUSED` for anything else than a yes. */
function understood<T>(schema: z.ZodType<T>, answer: unknown): T {
  const parsed = schema.safeParse(answer);
  if (parsed.success) return parsed.data;
  const hint = 'Run the workflow again, or use `state: ref`.';
  throw new DshError('The service for artifacts did not take it.', 'ARTIFACTS_REFUSED', hint, { cause: parsed.error });
}

interface RunIds {
  readonly workflow_run_backend_id: string;
  readonly workflow_job_run_backend_id: string;
}

/** The token names them as a scope: `Actions.Results:<run>:<job>`. */
function runIdsOf(token: string): RunIds {
  const [, run, job] = /(?:^| )Actions\.Results:([^: ]+):([^: ]+)(?: |$)/.exec(scopesOf(token)) ?? [];
  if (run && job) return { workflow_run_backend_id: run, workflow_job_run_backend_id: job };
  const hint = 'Use `state: ref`, or `state: none` where nothing is to be kept between runs.';
  throw new DshError('ACTIONS_RUNTIME_TOKEN may not upload artifacts.', 'STATE_UNAVAILABLE', hint);
}

function scopesOf(token: string): string {
  try {
    const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as { scp?: unknown };
    return typeof claims.scp === 'string' ? claims.scp : '';
  } catch {
    return '';
  }
}

/** As one block: https://learn.microsoft.com/rest/api/storageservices/put-blob */
async function put(target: string, bytes: Buffer, signal: AbortSignal): Promise<void> {
  const headers = { 'content-type': 'application/zip', 'x-ms-blob-type': 'BlockBlob' };
  const init = { method: 'PUT', headers, body: new Uint8Array(bytes) };
  await sendPatiently('the upload', target, init, signal);
}
