import { exitCodeOfProblem } from '../exit-code.ts';
import { Output } from '../output.ts';

/** The one place of this host that catches: what went wrong and how to mend it, then the exit code that says which kind. */
export async function runCommand(
  flags: { readonly json?: boolean },
  work: (output: Output) => Promise<number>,
): Promise<void> {
  const output = outputFor(flags.json ?? false);
  try {
    const exitCode = await work(output);
    process.exitCode = exitCode;
    output.finish(exitCode);
  } catch (error) {
    const problem = output.failed(error);
    const exitCode = exitCodeOfProblem(problem.code);
    process.exitCode = exitCode;
    output.finish(exitCode, problem);
  }
}

export function outputFor(json: boolean): Output {
  return new Output({ json, variables: process.env, stdout: process.stdout, stderr: process.stderr });
}
