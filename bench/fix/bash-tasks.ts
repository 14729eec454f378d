import { task } from './task.ts';

const test = (...checks: string[]) =>
  `set -u\n. ./lib.sh\nfail() { echo "not so: $*"; exit 1; }\n${checks.map((check) => `${check} || fail '${check.replaceAll("'", '"')}'\n`).join('')}`;
const bash = { language: 'bash', path: 'lib.sh' } as const;

export const BASH_TASKS = [
  task({
    ...bash,
    id: 'sh-unquoted',
    title: 'Names with blanks count twice',
    body: '`count "a b" c` prints 3.',
    base: 'count() {\n  local n=0\n  for one in $@; do n=$((n + 1)); done\n  echo "$n"\n}\n',
    edit: ['in $@;', 'in "$@";'],
    test: test('[ "$(count a b)" = 2 ]'),
    hidden: test('[ "$(count "a b" c)" = 2 ]', '[ "$(count)" = 0 ]', '[ "$(count "*")" = 1 ]'),
  }),
  task({
    ...bash,
    id: 'sh-octal',
    title: 'The eighth month breaks',
    body: '`next_month 08` says "value too great for base".',
    base: 'next_month() {\n  echo $(( $1 % 12 + 1 ))\n}\n',
    edit: ['$1 % 12', '10#$1 % 12'],
    test: test('[ "$(next_month 1)" = 2 ]', '[ "$(next_month 12)" = 1 ]'),
    hidden: test('[ "$(next_month 08)" = 9 ]', '[ "$(next_month 09)" = 10 ]'),
  }),
  task({
    ...bash,
    id: 'sh-lost-status',
    title: 'A failing step does not stop the run',
    body: '`run_all false true` ends with 0. It should go on with all of them and end with 1 if any failed.',
    base: 'run_all() {\n  local step\n  for step in "$@"; do $step; done\n}\n',
    edit: [
      '  local step\n  for step in "$@"; do $step; done\n',
      '  local step status=0\n  for step in "$@"; do $step || status=1; done\n  return "$status"\n',
    ],
    test: test('run_all true true'),
    hidden: test(
      '! run_all false true',
      '! run_all true false',
      'run_all',
      '[ "$(run_all false "echo on"; true)" = on ]',
    ),
  }),
  task({
    ...bash,
    id: 'sh-last-line',
    title: 'The last line is lost',
    body: '`upper` drops the last line when it has no line end: `printf "a\\nb" | upper` prints only A.',
    base: 'upper() {\n  local line\n  while IFS= read -r line; do echo "${line^^}"; done\n}\n',
    edit: ['IFS= read -r line; do', 'IFS= read -r line || [ -n "$line" ]; do'],
    test: test('[ "$(printf "a\\nb\\n" | upper)" = "$(printf "A\\nB")" ]'),
    hidden: test('[ "$(printf "a\\nb" | upper)" = "$(printf "A\\nB")" ]', '[ -z "$(printf "" | upper)" ]'),
  }),
  task({
    ...bash,
    id: 'sh-already-fixed',
    kind: 'already-fixed',
    title: 'join puts the separator last',
    body: '`join , a b` prints `a,b,`.',
    base: 'join() {\n  local separator=$1 first=${2-}\n  shift 2\n  printf "%s" "$first" "${@/#/$separator}"\n}\n',
    test: test('[ "$(join , a b)" = a,b ]', '[ "$(join , a)" = a ]'),
    hidden: '',
  }),
];
