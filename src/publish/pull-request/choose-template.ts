/** Folders that GitHub looks through for a template, in its order; and those in them that hold several to choose from. */
export const TEMPLATE_FOLDERS = ['.github/', '', 'docs/'] as const;

const NAME = /^pull_request_template(?:\.(?:md|markdown|txt))?$/i;
const FOLDER = /^pull_request_template\//i;
const TEXT = /\.(?:md|markdown|txt)$/i;

/**
 * The template for a new pull request among the files of a repository: the one that GitHub lays out by itself, whatever the
 * case of its name. Where there are only several to choose from, the one that is named for all, or for a fix, or the first.
 * Pure.
 */
export function chooseTemplate(paths: readonly string[]): string | undefined {
  const below = TEMPLATE_FOLDERS.map((folder) =>
    paths.flatMap((path) => (path.startsWith(folder) ? [{ path, name: path.slice(folder.length) }] : [])),
  );
  const single = below.flatMap((files) => files.filter(({ name }) => NAME.test(name)));
  if (single[0]) return single[0].path;
  const choices = below
    .flatMap((files) => files.filter(({ name }) => FOLDER.test(name) && TEXT.test(name)))
    .map(({ path }) => path)
    .sort();
  const named = (words: RegExp) => choices.find((path) => words.test(path.slice(path.lastIndexOf('/') + 1)));
  return named(/^(?:default|pull_request_template)\./i) ?? named(/\b(?:bug|fix)|_(?:bug|fix)/i) ?? choices[0];
}

/** Folders in which any of these may lie; a slash at the end. */
export const PLACES = TEMPLATE_FOLDERS.flatMap((folder) => [
  folder,
  `${folder}PULL_REQUEST_TEMPLATE/`,
  `${folder}pull_request_template/`,
]);
