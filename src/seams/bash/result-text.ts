import { escalationHintMarker, sandboxDenialMarker } from '../sandbox/escalation.ts';
import type { BashRunResult } from './executor.ts';
import type { FittedOutput } from './fit-output.ts';

/** One stream as the model reads it; `fullOutput` says where the rest of a cut one lies. */
export interface ShownOutput extends FittedOutput {
  fullOutput?: string;
}

export interface BashResultParts {
  stdout: ShownOutput;
  stderr: ShownOutput;
  /** Whether a wider sandbox can be asked for. */
  escalation: boolean;
  /** Further lines of help, without brackets. */
  advice: readonly string[];
}

/** The result as the model reads it: output first, then one marker a line, how it ended always last. */
export function bashResultText(result: BashRunResult, parts: BashResultParts): string {
  const output = outputLines(parts);
  const markers = markerLines(result, parts);
  const text = [...output, ...markers].join('\n');
  return markers.length === 0 && exitStatusOf(text) ? `${text}\n` : text;
}

function outputLines({ stdout, stderr }: BashResultParts): string[] {
  const errors = streamLines(stderr);
  const lines = [...streamLines(stdout), ...(errors.length > 0 ? ['[stderr]', ...errors] : [])];
  return lines.length > 0 ? lines : ['(no output)'];
}

function streamLines({ text, cut, fullOutput }: ShownOutput): string[] {
  if (text === '') return [];
  const body = text.endsWith('\n') ? text.slice(0, -1) : text;
  return cut ? [body, `[output truncated; full output: ${fullOutput ?? '(unavailable)'}]`] : [body];
}

function markerLines(result: BashRunResult, { escalation, advice }: BashResultParts): string[] {
  const { sandbox, timedOut, timeoutMs, signal, exitCode } = result;
  return [
    ...(sandbox?.denied ? [sandboxDenialMarker(sandbox.mode)] : []),
    ...(sandbox?.denied && escalation ? [escalationHintMarker('command')] : []),
    ...advice.map((line) => `[hint: ${line}]`),
    ...(timedOut ? [`[timed out after ${timeoutMs}ms]`] : []),
    ...(signal ? [`[killed by signal: ${signal}]`] : []),
    ...(exitCode ? [`[exit code: ${exitCode}]`] : []),
  ];
}

export type ExitStatus = { exitCode: number } | { signal: string };

/** How a command ended, from its stored text. Only a last line of its own counts: output that ends alike is not a marker. */
export function exitStatusOf(text: string): ExitStatus | undefined {
  const [, exitCode, signal] = /\n\[(?:exit code: (\d+)|killed by signal: (SIG[A-Z0-9]+))\]$/.exec(text) ?? [];
  if (exitCode !== undefined) return { exitCode: Number(exitCode) };
  return signal === undefined ? undefined : { signal };
}
