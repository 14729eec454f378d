import type { GitHub } from '../../github/client.ts';
import type { RepoRef } from '../../github/repository.ts';
import { readRateLimit } from '../../github/rate-limit.ts';
import { isGone, statusOf } from '../../github/request-hook.ts';
import { DshError } from '../../errors.ts';
import type { ResultsService } from './results-service.ts';
import { sendPatiently } from './send-patiently.ts';
import type { Candidate, StatePlace } from './state-place.ts';
import { unzipFile, zipFile } from './zip-file.ts';

/** The one file in the zip. */
const FILE = 'session.sealed';
const MIB = 1024 * 1024;
const MAX_BYTES = 128 * MIB;
/** Of what a zip adds to it. */
const ZIP_BYTES = 1024;
const PER_PAGE = 100;
/** Runs of forks could make any number of that name. */
const MAX_PAGES = 20;
const ENOUGH = 20;
/** Nobody waits for it. */
const DELETE_MS = 3_000;

export interface ArtifactPlaceOptions {
  readonly github: GitHub;
  readonly repo: RepoRef;
  readonly name: string;
  readonly results: ResultsService;
  /** `GITHUB_RUN_ID`. */
  readonly run: string;
}

/** Keeps a session as a workflow artifact. GitHub lists those of all runs, of forks', too. */
export class ArtifactPlace implements StatePlace {
  readonly name: string;
  readonly maxBytes = MAX_BYTES;
  readonly run: string;
  readonly #options: ArtifactPlaceOptions;

  constructor(options: ArtifactPlaceOptions) {
    this.#options = options;
    this.run = options.run;
    this.name = `the artifact ${options.name}`;
  }

  /** Those of runs on the repository's own branches come first: no fork can push them out of sight. */
  async *find(signal: AbortSignal): AsyncGenerator<Candidate, void, void> {
    const there = await this.#list(signal);
    const [own, foreign] = [there.filter(isOwn), there.filter((one) => !isOwn(one))];
    for (const artifact of [...own, ...foreign]) {
      const { id, size_in_bytes: size, workflow_run: run } = artifact;
      yield {
        ...{ id: String(id), isOwn: isOwn(artifact), run: run?.id === undefined ? undefined : String(run.id) },
        read: async () => (size > MAX_BYTES + ZIP_BYTES ? undefined : this.#read(id, signal)),
      };
    }
  }

  /** Without the right to delete the one before, that one expires. */
  async save(bytes: Buffer, superseded: string | undefined, signal: AbortSignal): Promise<boolean> {
    const { github, repo, name, results } = this.#options;
    await results.upload(name, zipFile(FILE, bytes), signal);
    if (superseded === undefined) return true;
    const request = { signal: AbortSignal.any([signal, AbortSignal.timeout(DELETE_MS)]) };
    // It is kept, whatever becomes of the one before.
    await github.rest.actions.deleteArtifact({ ...repo, artifact_id: Number(superseded), request }).catch(() => {});
    return true;
  }

  /** The newest first, as far back as there are enough of our own. */
  async #list(signal: AbortSignal): Promise<Artifact[]> {
    const { github, repo, name } = this.#options;
    const there: Artifact[] = [];
    for (let page = 1; page <= MAX_PAGES; page++) {
      const listing = { ...repo, name, per_page: PER_PAGE, page, request: { signal } };
      const { data } = await github.rest.actions.listArtifactsForRepo(listing).catch((error: unknown) => {
        throw isRefused(error) ? mayNotRead(error) : error;
      });
      // An older server does not know the filter by name.
      there.push(...data.artifacts.filter((one) => one.name === name && !one.expired));
      if (data.artifacts.length < PER_PAGE || there.filter(isOwn).length >= ENOUGH) break;
    }
    return there.toSorted((a, b) => b.id - a.id);
  }

  /** GitHub answers with an address that needs no token, and gets none. */
  async #read(artifact_id: number, signal: AbortSignal): Promise<Buffer | undefined> {
    const { github, repo } = this.#options;
    const wanted = { ...repo, artifact_id, archive_format: 'zip', request: { signal, redirect: 'manual' } } as const;
    const answer = await github.rest.actions.downloadArtifact(wanted).catch((error: unknown) => {
      if (!isGone(error)) throw isRefused(error) ? mayNotRead(error) : error;
    });
    const location = answer?.headers.location;
    if (!location) return undefined;
    const response = await sendPatiently('the download', location, {}, signal).catch((error: unknown) => {
      // What is gone is no state; what only fails for the moment must not be taken for none.
      if (statusOf(error) === undefined || statusOf(error)! >= 500) throw error;
    });
    if (!response?.body) return undefined;
    const zip = await readAtMost(response.body, MAX_BYTES + ZIP_BYTES);
    return zip && unzipFile(zip, FILE, MAX_BYTES);
  }
}

type Artifact = Awaited<ReturnType<GitHub['rest']['actions']['listArtifactsForRepo']>>['data']['artifacts'][number];

function isOwn({ workflow_run: run }: Pick<Artifact, 'workflow_run'>): boolean {
  return run?.repository_id !== undefined && run.repository_id === run.head_repository_id;
}

/** A token that may not read a private repository's artifacts may be told that there is no such repository. */
function isRefused(error: unknown): boolean {
  return [403, 404].includes(statusOf(error) ?? 0) && !readRateLimit(error, 0);
}

/** What GitHub said of its size may not be so. */
async function readAtMost(body: ReadableStream<Uint8Array>, limit: number): Promise<Buffer | undefined> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.byteLength;
    if (size > limit) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function mayNotRead(cause: unknown): DshError {
  const hint = 'Give the job `permissions: { actions: read }`, or use `state: ref` or `state: none`.';
  return new DshError('The token of this workflow may not read artifacts.', 'STATE_UNAVAILABLE', hint, { cause });
}
