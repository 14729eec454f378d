import type { Handled } from '../handle-event.ts';

const ORDER: readonly Handled['status'][] = [
  'failed',
  'parked',
  'stopped',
  'completed',
  'refused',
  'replied',
  'ignored',
];

/** Of several commands in one event, the one whose end says most. */
export function worstOf(handled: readonly Handled[]): Handled {
  const sorted = [...handled].sort((a, b) => ORDER.indexOf(a.status) - ORDER.indexOf(b.status));
  return sorted[0] ?? { status: 'ignored', why: 'event-not-used' };
}

/** The outputs of `action.yml`; what a run did not come to is empty. Pure. */
export function actionOutputs(handled: readonly Handled[], sarifFile = ''): Record<string, string> {
  const worst = worstOf(handled);
  const outcome = worst.outcome ?? handled.find((one) => one.outcome)?.outcome;
  const produced = outcome?.produced;
  const pull = produced?.kind === 'pull-request' ? produced : undefined;
  const review = produced?.kind === 'review' ? produced : undefined;
  const found = produced?.kind === 'findings' ? produced : review;
  const committed = produced?.kind === 'commit' || produced?.kind === 'branch' ? produced : pull;
  return {
    status: worst.status === 'replied' ? 'completed' : worst.status,
    'session-id': outcome?.session ?? '',
    'pull-request-number': pull ? String(pull.number) : '',
    'pull-request-url': pull?.url ?? '',
    branch: committed?.branch ?? '',
    'commit-sha': committed?.commitSha ?? '',
    'review-id': review ? String(review.id) : '',
    findings: found ? JSON.stringify(found.findings.map(({ finding }) => finding)) : '',
    'sarif-file': sarifFile,
    answer: produced?.kind === 'answer' ? produced.text : '',
    tokens: outcome ? String(outcome.tokens) : '',
    cost: outcome?.cost === undefined ? '' : outcome.cost.toFixed(4),
  };
}
