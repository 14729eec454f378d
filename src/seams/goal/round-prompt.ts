import type { ContentBlock } from '../../harness/llm/types.ts';
import { jsonText } from './goal-change.ts';
import type { GoalView } from './types.ts';

/** What begins a round (G22). */
export function roundPrompt({ objective, maxGoalRounds }: GoalView, round: number): ContentBlock[] {
  const text = `<goal_round>
Round ${round}/${maxGoalRounds} towards the objective ${jsonText(objective)}.
Trust what the tree and the commands show now over what was said earlier. Do the next part of the work, and check it. When the objective is met and you have seen the evidence, call update_goal with \`complete\`; when something that you cannot change stands in the way round after round, call it with \`blocked\` and say what. Otherwise end your message, and the next round begins.
</goal_round>`;
  return [{ type: 'text', text }];
}
