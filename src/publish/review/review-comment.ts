import { assembleBody } from '../markdown/body.ts';
import type { BodyPart } from '../markdown/body.ts';
import { fenced } from '../markdown/fenced.ts';
import { inertInline } from '../markdown/inert-line.ts';
import { findingMarker } from '../markers.ts';
import type { PlacedFinding } from './place-finding.ts';
import { provenSuggestion } from './prove-suggestion.ts';
import { placeText } from './review-body.ts';

/** The comment of one finding on its lines (R3, R4). `id` marks its thread for later reviews. Pure. */
export function commentBody(
  placed: PlacedFinding,
  id: string,
  facts: { readonly headFile: (path: string) => string | undefined },
): string {
  const { finding, moved } = placed;
  const suggestion = provenSuggestion(placed, facts);
  const parts: BodyPart[] = [
    { kind: 'markdown', text: `**${finding.severity}: ${inertInline(finding.title)}**` },
    ...(moved ? [{ kind: 'markdown', text: `About ${placeText(finding)}, which takes no comment.` } as const] : []),
    { kind: 'said', text: finding.body },
    ...(suggestion === undefined ? [] : [{ kind: 'markdown', text: suggestionBlock(placed, suggestion) } as const]),
    { kind: 'markdown', text: findingMarker(id) },
  ];
  return assembleBody(parts);
}

/** A block without a line takes the lines away; with an empty one it would leave an empty one. */
function suggestionBlock({ finding }: PlacedFinding, suggestion: string): string {
  return finding.suggestion === '' ? '```suggestion\n```' : fenced(suggestion, 'suggestion');
}
