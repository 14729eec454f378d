import type { MessageSource } from '../../harness/llm/types.ts';
import { claudePayload, codexPayload } from './payload.ts';
import type { HookPlace, PointFacts } from './payload.ts';
import type { HookDialect, HookOutput } from './types.ts';

/** In what the dialects differ beside their matchers. */
export interface DialectRules {
  readonly dialect: HookDialect;
  /** Whose word the context is that hooks add. */
  readonly source: MessageSource & { kind: 'plugin' };
  readonly trailingNewline: boolean;
  /** Whether a hook may have a person asked. */
  readonly asks: boolean;
  payload(facts: PointFacts, place: HookPlace): Record<string, unknown>;
  /** The output as this dialect means it. */
  interpret(output: HookOutput, facts: PointFacts): HookOutput;
}

export const CLAUDE: DialectRules = {
  dialect: 'claude',
  source: { kind: 'plugin', plugin: 'claude-hooks' },
  trailingNewline: true,
  asks: true,
  payload: claudePayload,
  interpret: (output) => output,
};

export const CODEX: DialectRules = {
  dialect: 'codex',
  source: { kind: 'plugin', plugin: 'codex-hooks' },
  trailingNewline: false,
  asks: false,
  payload: codexPayload,
  interpret: (output, { point }) =>
    point === 'SessionStart' || point === 'UserPromptSubmit' ? withPlainContext(output) : output,
};

/** What a hook that ended cleanly says in plain words is context; a structured one is never plain. */
function withPlainContext(output: HookOutput): HookOutput {
  const { exitCode, stdout } = output;
  const isPlain = exitCode === 0 && stdout !== '' && !/^[{[]/.test(stdout);
  return isPlain ? { ...output, additionalContext: stdout } : output;
}
