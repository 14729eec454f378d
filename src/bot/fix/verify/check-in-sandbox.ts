import type { Context } from '../../../harness/kernel/context.ts';
import type { BashRunResult } from '../../../seams/bash/executor.ts';
import type { SandboxExecutionPolicy } from '../../../seams/sandbox/types.ts';
import type { SyntaxCheck } from './find-syntax-error.ts';
import { NOT_HERE, sandboxCheckerFor } from './sandbox-checkers.ts';
import type { SandboxChecker } from './sandbox-checkers.ts';

/** Nobody waits longer for a remark. */
const LIMIT_MS = 2_000;
const MAX_CHARS = 300_000;
const SHOWN_CHARS = 200;

interface CheckPlace {
  readonly root: Context;
  readonly policy: SandboxExecutionPolicy | undefined;
  readonly signal: AbortSignal;
  /** Programs that were looked for and are not there. */
  readonly absent: Set<string>;
}

/** The first error by a program of the sandbox, which gets the text and never runs it; `unknown` where none is there (PR26). */
export async function checkInSandbox(path: string, text: string, place: CheckPlace): Promise<SyntaxCheck> {
  const checker = sandboxCheckerFor(path, text);
  const { root, policy, signal, absent } = place;
  if (!checker || text.length > MAX_CHARS || absent.has(checker.program)) return 'unknown';
  const { command } = checker;
  const stdin = checker.input?.(text) ?? text;
  try {
    const spec = root.bash.resolve({ command, stdin, timeoutMs: LIMIT_MS, signal, sandboxPolicy: policy });
    return read(await root.bash.run(spec), checker, text, absent);
  } catch {
    return 'unknown'; // the edit itself is done
  }
}

function read(result: BashRunResult, checker: SandboxChecker, text: string, absent: Set<string>): SyntaxCheck {
  const { exitCode, stdout, stderr } = result;
  const { program, error } = checker;
  if (exitCode === NOT_HERE) absent.add(program);
  if (exitCode === 0) return { by: program, error: undefined };
  const { line, message } = error.exec(`${stdout.text}\n${stderr.text}`)?.groups ?? {};
  if (exitCode === null || exitCode === NOT_HERE || message === undefined || checker.judges?.(text) === false)
    return 'unknown';
  const at = line ?? String(text.trimEnd().split('\n').length);
  return { by: program, error: `line ${at}: ${message.replaceAll(/\s+/g, ' ').slice(0, SHOWN_CHARS)}` };
}
