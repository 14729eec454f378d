import { seed } from './seed.ts';

const TOTALS = `def total(prices, discount=0.0):
    """Sum of prices after a discount between 0 and 1."""
    result = 0.0
    for price in prices:
        result += price * (1 - discount)
    return round(result, 2)


def mean(values):
    if not values:
        return None
    return sum(values) / len(values)
`;
const LOGS = `import re

LINE = re.compile(r"^(?P<level>\\w+) (?P<text>.*)$")


def collect(lines, into=None):
    found = [] if into is None else into
    for line in lines:
        match = LINE.match(line)
        if match and match["level"] == "ERROR":
            found.append(match["text"])
    return found


def first_error(path):
    with open(path, encoding="utf-8") as file:
        errors = collect(file)
    return errors[0] if errors else None
`;
const USERS = `def find_user(db, name):
    row = db.execute("select id, name from users where name = ?", (name,)).fetchone()
    return None if row is None else {"id": row[0], "name": row[1]}


def rename(db, user_id, name):
    with db:
        db.execute("update users set name = ? where id = ?", (name, user_id))
`;

export const PYTHON_SEEDS = [
  seed({
    ...{ id: 'py-default-list', language: 'python', path: 'app/logs.py', base: LOGS },
    edits: [
      [
        'def collect(lines, into=None):\n    found = [] if into is None else into',
        'def collect(lines, into=[]):\n    found = into',
      ],
    ],
    defects: [
      {
        ...{ line: 'def collect(lines, into=[]):', class: 'mutable-default', severity: 'major' },
        title: 'Errors of earlier calls are found again',
        scenario: 'collect(["ERROR a"]) and then collect([]) returns ["a"] instead of [].',
      },
    ],
  }),
  seed({
    ...{ id: 'py-open-leak', language: 'python', path: 'app/logs.py', base: LOGS },
    edits: [
      [
        '    with open(path, encoding="utf-8") as file:\n        errors = collect(file)\n    return errors[0] if errors else None',
        '    errors = collect(open(path, encoding="utf-8"))\n    return errors[0]',
      ],
    ],
    defects: [
      {
        ...{ line: 'return errors[0]', class: 'crash', severity: 'major' },
        title: 'A log without errors raises IndexError',
        scenario: 'A file that holds "INFO ok" raises IndexError instead of giving None.',
      },
    ],
  }),
  seed({
    ...{ id: 'py-sql', language: 'python', path: 'app/users.py', base: USERS },
    edits: [
      [
        'db.execute("select id, name from users where name = ?", (name,))',
        'db.execute(f"select id, name from users where name = \'{name}\'")',
      ],
    ],
    defects: [
      {
        ...{ line: "where name = '{name}'", class: 'injection', severity: 'blocker' },
        title: 'A name can change the statement',
        scenario: `find_user(db, "' or '1'='1") returns the first user of all.`,
      },
    ],
  }),
  seed({
    ...{ id: 'py-commit', language: 'python', path: 'app/users.py', base: USERS },
    edits: [['    with db:\n        db.execute("update users', '    db.execute("update users']],
    defects: [
      {
        ...{ line: '    db.execute("update users', class: 'lost-write', severity: 'major' },
        title: 'The new name is never committed',
        scenario: 'rename(db, 1, "ada") and a new connection still reads the old name.',
      },
    ],
  }),
  seed({
    ...{ id: 'py-totals-clean', language: 'python', path: 'app/totals.py', base: TOTALS },
    edits: [
      [
        '    result = 0.0\n    for price in prices:\n        result += price * (1 - discount)\n    return round(result, 2)',
        '    return round(sum(prices) * (1 - discount), 2)',
      ],
    ],
  }),
  seed({
    ...{ id: 'py-mean-clean', language: 'python', path: 'app/totals.py', base: TOTALS },
    edits: [['    return sum(values) / len(values)', '    return sum(values) / float(len(values))']],
  }),
];
