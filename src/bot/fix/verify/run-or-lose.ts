import type { BashExecSpec, BashExecutor, BashRunResult } from '../../../seams/bash/executor.ts';
import { SANDBOX_UNAVAILABLE } from '../../../seams/sandbox/sandbox-unavailable-error.ts';

/** What a command came to; `lost` says why, where it took the sandbox with it. */
export type VerifyResult = BashRunResult & { readonly lost?: string };

/**
 * Runs a command that may take the sandbox with it, by its hunger for memory or by killing every process: that is a result
 * of the command, and no trouble of ours.
 */
export async function runOrLose(bash: BashExecutor, spec: BashExecSpec): Promise<VerifyResult> {
  try {
    return await bash.run(spec);
  } catch (error) {
    if (!isLost(error)) throw error;
    return { ...NOTHING, timeoutMs: spec.timeoutMs, lost: error.message };
  }
}

/**
 * Whether another sandbox took the place of the lost one. An engine that makes none is trouble of its own, and thrown; only
 * a sandbox that was lost too often answers with the same loss again.
 */
export async function isSandboxBack(bash: BashExecutor, probe: BashExecSpec, lost: string): Promise<boolean> {
  try {
    await bash.run(probe);
    return true;
  } catch (error) {
    if (isLost(error) && error.message === lost) return false;
    throw error;
  }
}

const SILENCE = { text: '', truncated: false };
const NOTHING = {
  ...{ exitCode: null, signal: null, timedOut: false, aborted: false },
  ...{ stdout: SILENCE, stderr: SILENCE },
};

function isLost(error: unknown): error is Error {
  return (error as { code?: unknown } | undefined)?.code === SANDBOX_UNAVAILABLE;
}
