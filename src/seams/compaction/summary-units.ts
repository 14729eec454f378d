import type { Session } from '../../harness/session/session.ts';
import type { TokenSurfaceNode } from '../token-meter/types.ts';
import type { SummaryUnit } from './summarize-units.ts';
import { toolPairingBalancedAfter } from './tool-pairing.ts';

/** The nodes of a region as units that can be told apart: no call without its result. */
export function unitsOf(session: Session, seqs: readonly number[], nodes: readonly TokenSurfaceNode[]): SummaryUnit[] {
  const prices = new Map(nodes.map(({ seq, tokens }) => [seq, tokens]));
  const units: { messages: SummaryUnit['messages'][number][]; tokens: number }[] = [];
  let isOpen = false;
  for (const seq of seqs) {
    if (!isOpen) units.push({ messages: [], tokens: 0 });
    const unit = units.at(-1)!;
    const message = session.deriveEventMessage(session.eventAt(seq)!);
    if (message) unit.messages.push(message);
    unit.tokens += prices.get(seq) ?? 0;
    isOpen = !toolPairingBalancedAfter(session, seq);
  }
  return units;
}
