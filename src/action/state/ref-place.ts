import { DshError } from '../../errors.ts';
import type { GitHub } from '../../github/client.ts';
import type { RepoRef } from '../../github/repository.ts';
import { readRateLimit } from '../../github/rate-limit.ts';
import { statusOf } from '../../github/request-hook.ts';
import type { Candidate, StatePlace } from './state-place.ts';

const FILE = 'session.sealed';
const MIB = 1024 * 1024;
/** GitHub takes a blob as base64 within one request. */
const MAX_BYTES = 16 * MIB;
const NO_COMMIT = '0'.repeat(40);

export interface RefPlaceOptions {
  readonly github: GitHub;
  readonly repo: RepoRef;
  /** In full, such as `refs/dsh/issue/7`. */
  readonly ref: string;
}

/** Keeps a session as a commit of its own, without a parent, so that the repository does not grow by what is superseded. */
export class RefPlace implements StatePlace {
  readonly name: string;
  readonly maxBytes = MAX_BYTES;
  readonly run = '-';
  readonly #options: RefPlaceOptions;
  /** The commit that was there when somebody looked last. */
  #seen: string | undefined;

  constructor(options: RefPlaceOptions) {
    this.#options = options;
    this.name = options.ref;
  }

  async *find(signal: AbortSignal): AsyncGenerator<Candidate, void, void> {
    const id = (this.#seen = await this.#commit(signal));
    if (id !== undefined) yield { id, run: this.run, isOwn: true, read: () => this.#read(id, signal) };
  }

  /** Moves the ref only from the very commit that was seen there. */
  async save(bytes: Buffer, _superseded: string | undefined, signal: AbortSignal): Promise<boolean> {
    const { github, repo, ref } = this.#options;
    const commit = await this.#write(bytes, signal).catch((error: unknown) => {
      throw isRefused(error) ? this.#mayNot('write', error) : error;
    });
    const { data } = await github.rest.repos.get({ ...repo, request: { signal } });
    const update = { name: ref, beforeOid: this.#seen ?? NO_COMMIT, afterOid: commit, force: true };
    const input = { repositoryId: data.node_id, refUpdates: [update] };
    try {
      await github.graphql(UPDATE_REFS, { input, request: { signal } });
      return true;
    } catch (error) {
      const now = await this.#commit(signal);
      if (now === this.#seen) throw isRefused(error) ? this.#mayNot('write', error) : this.#notMoved(error);
      return now === commit;
    }
  }

  async #write(bytes: Buffer, signal: AbortSignal): Promise<string> {
    const { github, repo } = this.#options;
    // What no ref points to is seen by nobody, so all of it may be made twice.
    const request = { signal, repeatable: true };
    const content = bytes.toString('base64');
    const blob = await github.rest.git.createBlob({ ...repo, content, encoding: 'base64', request });
    const file = { path: FILE, mode: '100644', type: 'blob', sha: blob.data.sha } as const;
    const tree = await github.rest.git.createTree({ ...repo, tree: [file], request });
    const commit = { message: 'State of a dsh session', tree: tree.data.sha, parents: [] };
    return (await github.rest.git.createCommit({ ...repo, ...commit, request })).data.sha;
  }

  async #commit(signal: AbortSignal): Promise<string | undefined> {
    const { github, repo, ref } = this.#options;
    const wanted = { ...repo, ref: ref.replace('refs/', ''), request: { signal } };
    try {
      return (await github.rest.git.getRef(wanted)).data.object.sha;
    } catch (error) {
      // An empty repository has no refs: GitHub answers 409.
      if ([404, 409].includes(statusOf(error) ?? 0)) return undefined;
      throw isRefused(error) ? this.#mayNot('read', error) : error;
    }
  }

  /** Undefined also where somebody made the ref name no commit of ours. */
  async #read(commit: string, signal: AbortSignal): Promise<Buffer | undefined> {
    try {
      return await this.#content(commit, signal);
    } catch (error) {
      if ([404, 409, 422].includes(statusOf(error) ?? 0)) return undefined;
      throw isRefused(error) ? this.#mayNot('read', error) : error;
    }
  }

  async #content(commit: string, signal: AbortSignal): Promise<Buffer | undefined> {
    const { github, repo } = this.#options;
    const request = { signal };
    const { data: made } = await github.rest.git.getCommit({ ...repo, commit_sha: commit, request });
    const { data: root } = await github.rest.git.getTree({ ...repo, tree_sha: made.tree.sha, request });
    const file = root.tree.find(({ path }) => path === FILE);
    if (!file?.sha || (file.size ?? 0) > MAX_BYTES) return undefined;
    const { data: blob } = await github.rest.git.getBlob({ ...repo, file_sha: file.sha, request });
    return Buffer.from(blob.content, 'base64');
  }

  #notMoved(cause: unknown): DshError {
    const hint = 'A rule of the repository may forbid it; else use `state: artifact`.';
    const message = `GitHub did not move ${this.name}: ${(cause as Error).message}`;
    return new DshError(message, 'STATE_UNAVAILABLE', hint, { cause });
  }

  #mayNot(what: 'read' | 'write', cause: unknown): DshError {
    const hint = `Give the job \`permissions: { contents: ${what} }\`, or use \`state: artifact\` or \`state: none\`.`;
    const message = `The token of this workflow may not ${what} ${this.name}.`;
    return new DshError(message, 'STATE_UNAVAILABLE', hint, { cause });
  }
}

/** GraphQL says it within a success. */
function isRefused(error: unknown): boolean {
  const { errors = [] } = (error ?? {}) as { errors?: readonly { type?: string }[] };
  if (errors.some?.(({ type }) => type === 'FORBIDDEN' || type === 'INSUFFICIENT_SCOPES')) return true;
  return [403, 404].includes(statusOf(error) ?? 0) && !readRateLimit(error, 0);
}

/** A compare-and-set, which the REST call for refs is not. https://docs.github.com/graphql/reference/mutations#updaterefs */
const UPDATE_REFS = `mutation ($input: UpdateRefsInput!) { updateRefs(input: $input) { clientMutationId } }`;
