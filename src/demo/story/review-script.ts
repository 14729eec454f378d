import { calls, callsAll, says } from '../model/reply.ts';
import type { Reply } from '../model/reply.ts';

/** What the scripted model finds in the demo's pull request. */
export const REVIEW_SCRIPT: readonly Reply[] = [
  callsAll([
    { name: 'read', arguments: JSON.stringify({ file_path: 'src/parse-duration.js' }) },
    { name: 'grep', arguments: JSON.stringify({ pattern: 'parseDuration' }) },
  ]),
  calls('report_finding', {
    path: 'src/parse-duration.js',
    side: 'RIGHT',
    startLine: 1,
    endLine: 1,
    severity: 'major',
    confidence: 0.9,
    title: 'A day has 23 hours here',
    body: 'For `1d` this gives 82800000 instead of 86400000, so every duration with days is an hour short per day. Use 24 hours.',
    scenario: '`1d` gives 82800000 instead of 86400000.',
    evidence: 'traced',
    proof: 'src/parse-duration.js:1 is multiplied as it is, so 1d becomes 82800000 ms.',
    code: 'const UNITS = { d: 82_800_000, h: 3_600_000, m: 60_000, s: 1_000 };',
    suggestion: 'const UNITS = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1_000 };',
  }),
  says('The new unit is parsed, but its value is wrong. The README was not looked at.'),
  // The second look at the finding, by a fresh child.
  calls('structured_output', {
    verdict: 'confirmed',
    reason: 'Nothing corrects the value on its way.',
    proof: 'src/parse-duration.js:1',
  }),
];
