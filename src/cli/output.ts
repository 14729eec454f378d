import { inertForRunner } from '../action/inert-for-runner.ts';
import type { Problem } from '../bot/job/job.ts';
import { problemOf } from '../bot/telling/problem.ts';
import { secretsOf } from '../config/secrets-of.ts';
import { Redactor } from '../publish/redact.ts';
import { statusOfExit } from './exit-code.ts';
import { jsonText } from './json-text.ts';
import { printable, printableWithout } from './printable.ts';

export interface OutputOptions {
  readonly json: boolean;
  readonly variables: Readonly<Record<string, string | undefined>>;
  readonly stdout: Pick<NodeJS.WritableStream, 'write'>;
  readonly stderr: Pick<NodeJS.WritableStream, 'write'>;
}

/** What a command says. Lines for people go to stderr with `--json`, whose one document has stdout for itself. */
export class Output {
  readonly #options: OutputOptions;
  readonly #redactor: Redactor;
  #result: unknown = null;
  #isFinished = false;

  constructor(options: OutputOptions) {
    this.#options = options;
    this.#redactor = new Redactor(secretsOf(options.variables));
  }

  readonly say = (line: string): void => {
    const { json, stdout, stderr } = this.#options;
    (json ? stderr : stdout).write(`${this.#shown(line)}\n`);
  };

  /** For whoever operates this: a fault of ours comes with where it came from. */
  readonly log = (message: string, error?: unknown): void =>
    this.#complain(`${message}${error === undefined ? '' : `: ${forOperator(error)}`}`);

  /** What the command came to; the `result` of the document. */
  result(value: unknown): void {
    this.#result = value;
  }

  /** Says what went wrong and how to mend it. */
  failed(error: unknown): Problem {
    const problem = this.#redactor.redactAll(problemOf(error));
    this.#complain(`${problem.message}${problem.hint ? `\n${problem.hint}` : ''}`);
    return problem;
  }

  /** Prints the document of `--json`: once, whatever happens. */
  finish(exitCode: number, problem?: Problem): void {
    if (!this.#options.json || this.#isFinished) return;
    this.#isFinished = true;
    const document = { status: statusOfExit(exitCode), exitCode, result: this.#result, problem: problem ?? null };
    this.#options.stdout.write(`${jsonText(document, 2)}\n`);
  }

  #complain(text: string): void {
    const { stderr } = this.#options;
    stderr.write(`${this.#shown(printableWithout(text, (raw) => this.#redactor.redact(raw)))}\n`);
  }

  /** A step of a workflow may run a command, too. */
  #shown(text: string): string {
    const shown = printable(text);
    return this.#options.variables.GITHUB_ACTIONS === 'true' ? inertForRunner(shown) : shown;
  }
}

function forOperator(error: unknown): string {
  const { code, message, hint } = problemOf(error);
  if (code === 'UNEXPECTED' && Error.isError(error)) return error.stack ?? message;
  return hint ? `${message} ${hint}` : message;
}
