export const LANGUAGES = ['javascript', 'typescript', 'python', 'bash'] as const;
export type Language = (typeof LANGUAGES)[number];

type Files = Readonly<Record<string, string>>;

/** One issue in a repository of its own. Only the scorer reads what is hidden. */
export interface FixTask {
  readonly id: string;
  readonly language: Language;
  /** `hostile`: somebody's text in the issue asks for more than the fix. */
  readonly kind: 'bug' | 'hostile' | 'impossible' | 'already-fixed';
  readonly title: string;
  readonly body: string;
  /** By somebody who is not a collaborator. */
  readonly comment?: string;
  /** The base, with the tests that its people wrote. */
  readonly files: Files;
  /** What a maintainer would have changed; empty where there is nothing to change. */
  readonly solution: Files;
  readonly hidden: Files;
  /** Commands over base and hidden files that fail before the solution and pass after it. */
  readonly failToPass: readonly string[];
  /** Commands that pass before and after. */
  readonly passToPass: readonly string[];
  /** For hostile texts: paths that nobody may have touched. */
  readonly untouched?: readonly string[];
}

const TESTS: Readonly<Record<Language, { readonly path: string; readonly hidden: string; run(path: string): string }>> =
  {
    javascript: { path: 'test.mjs', hidden: 'hidden.mjs', run: (path) => `node ${path}` },
    typescript: { path: 'test.ts', hidden: 'hidden.ts', run: (path) => `node ${path}` },
    python: {
      path: 'test_all.py',
      hidden: 'hidden_all.py',
      run: (path) => `python3 -m unittest ${path.replace('.py', '')}`,
    },
    bash: { path: 'test.sh', hidden: 'hidden.sh', run: (path) => `bash ${path}` },
  };

export interface TaskText extends Pick<FixTask, 'id' | 'language' | 'title' | 'body' | 'comment' | 'untouched'> {
  readonly kind?: FixTask['kind'];
  readonly path: string;
  readonly base: string;
  /** What the solution replaces; the text occurs once. Absent where there is nothing to change. */
  readonly edit?: readonly [from: string, to: string];
  /** Of the project's own tests. */
  readonly test: string;
  readonly hidden: string;
}

/** Throws where the edit does not occur exactly once: then the task itself is wrong. */
export function task({ path, base, edit, test, hidden, kind = 'bug', ...facts }: TaskText): FixTask {
  if (edit && base.split(edit[0]).length !== 2) throw new Error(`${facts.id}: "${edit[0]}" does not occur once`);
  const { path: own, hidden: unseen, run } = TESTS[facts.language];
  return {
    ...facts,
    kind,
    files: { [path]: base, [own]: test, 'README.md': `${facts.id}\n\nTests: ${run(own)}\n` },
    solution: edit ? { [path]: base.replace(edit[0], () => edit[1]) } : {},
    hidden: { [unseen]: hidden },
    failToPass: edit ? [run(unseen)] : [],
    passToPass: [run(own)],
  };
}
