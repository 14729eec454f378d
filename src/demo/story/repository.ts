/** A small library with a real bug: `parseDuration('1h30m')` forgets the hours. Its tests fail before the fix. */
export const REPOSITORY_FILES: Readonly<Record<string, string>> = {
  'package.json': `{
  "name": "tiny-duration",
  "version": "1.2.0",
  "type": "module",
  "exports": "./src/parse-duration.js",
  "scripts": { "test": "node --test" }
}
`,
  'README.md': `# tiny-duration

\`parseDuration('1h30m')\` gives milliseconds: 5400000.

Units: \`h\`, \`m\`, \`s\`. Anything else throws a \`RangeError\`.
`,
  'AGENTS.md': `Keep functions small. Run \`npm test\` before you finish.
`,
  'src/parse-duration.js': `const UNITS = { h: 3_600_000, m: 60_000, s: 1_000 };

/** Milliseconds of a duration such as \`1h30m\`. */
export function parseDuration(text) {
  let total = 0;
  for (const [, amount, unit] of text.matchAll(/(\\d+)([hms])/g)) {
    total = Number(amount) * UNITS[unit];
  }
  if (total === 0) throw new RangeError(\`not a duration: \${text}\`);
  return total;
}
`,
  'test/parse-duration.test.js': `import assert from 'node:assert/strict';
import test from 'node:test';
import { parseDuration } from '../src/parse-duration.js';

test('one unit', () => {
  assert.equal(parseDuration('90s'), 90_000);
});

test('several units add up', () => {
  assert.equal(parseDuration('1h30m'), 5_400_000);
});

test('no duration', () => {
  assert.throws(() => parseDuration('soon'), RangeError);
});
`,
};

export const ISSUE = {
  title: 'parseDuration forgets the hours',
  body: "`parseDuration('1h30m')` gives 1800000, but the README says 5400000.\n\nOnly the last unit seems to count.",
};
