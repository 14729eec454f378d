import type { FsTarget } from '../../seams/filesystem/file-system.ts';
import { FsError } from '../../seams/filesystem/fs-error.ts';
import type { SandboxExecutionPolicy } from '../../seams/sandbox/types.ts';
import { AgentFileError } from '../agent-client.ts';
import type { ResultOf } from '../agent-client.ts';
import type { FileRequest, WriteIntent } from '../agent/protocol.ts';
import { isSandboxUnavailable } from '../errors.ts';
import { agentFor } from '../sandbox-handle.ts';
import type { SandboxHandle } from '../sandbox-handle.ts';

type Look = Exclude<FileRequest, { op: 'write' | 'give-back' }>;

export interface WriteTerms {
  intent: WriteIntent;
  roots: string[];
  policy: SandboxExecutionPolicy | undefined;
}

/** File operations by the agent of a session's container, and what becomes of them when that is lost. */
export class AgentFiles {
  readonly #handle: SandboxHandle;

  constructor(handle: SandboxHandle) {
    this.#handle = handle;
  }

  /** Changes nothing, so it is tried once more in a new container. */
  async look<R extends Look>(request: R, signal?: AbortSignal): Promise<{ value: ResultOf<R['op']>; body: Buffer }> {
    try {
      return await this.#ask(request, signal);
    } catch (cause) {
      if (!isSandboxUnavailable(cause)) throw cause;
      return this.#ask(request, signal);
    }
  }

  /** Never repeated: when the sandbox is lost meanwhile, nobody knows whether it was written. */
  async write(target: FsTarget, body: Buffer, terms: WriteTerms, signal?: AbortSignal): Promise<ResultOf<'write'>> {
    const written = await this.#write(target, body, terms, signal);
    if (terms.policy?.mode !== 'danger-full-access') return written;
    const { value: facts } = await this.look({ op: 'stat', path: target.targetKey }); // given back since, so it is another version
    return facts ? { ...written, facts } : written;
  }

  async #write(
    target: FsTarget,
    body: Buffer,
    { intent, roots, policy }: WriteTerms,
    signal?: AbortSignal,
  ): Promise<ResultOf<'write'>> {
    assertNotAborted(signal);
    const { agent, release } = await agentFor(this.#handle, policy);
    const request = { op: 'write', path: target.targetKey as string, intent, roots } as const;
    try {
      const { value } = await agent.call(request, { body, ...(signal && { signal }) });
      return value;
    } catch (cause) {
      if (!isSandboxUnavailable(cause)) throw asFsError(cause);
      throw await this.#maybeWritten(target, cause);
    } finally {
      await release();
    }
  }

  async #ask<R extends Look>(request: R, signal?: AbortSignal): Promise<{ value: ResultOf<R['op']>; body: Buffer }> {
    assertNotAborted(signal);
    const { promise: aborted, reject } = Promise.withResolvers<never>();
    const abort = () => reject(new FsError('aborted', 'FS_ABORTED'));
    signal?.addEventListener('abort', abort, { once: true });
    try {
      const answer = agentFor(this.#handle, undefined).then(({ agent }) => agent.call(request));
      return await Promise.race([answer, aborted]);
    } catch (cause) {
      throw asFsError(cause);
    } finally {
      signal?.removeEventListener('abort', abort);
    }
  }

  async #maybeWritten(target: FsTarget, cause: unknown): Promise<FsError> {
    const found = await this.look({ op: 'stat', path: target.targetKey }).catch(() => undefined);
    const now = found === undefined ? 'unknown' : found.value === null ? 'absent' : `${found.value.size} bytes`;
    const text = `the sandbox was lost: ${target.displayPath} may have been written (now: ${now}) — read it before going on`;
    return new FsError(text, 'FS_IO_ERROR', { cause });
  }
}

function assertNotAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw new FsError('aborted', 'FS_ABORTED');
}

function asFsError(cause: unknown): unknown {
  return cause instanceof AgentFileError ? new FsError(cause.message, cause.code, { cause }) : cause;
}
