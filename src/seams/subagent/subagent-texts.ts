import type { SubagentProvider } from './types.ts';

const FRESH = `Gives a task to a child agent, which works on the same tree with a fresh context and returns its final answer.
- It knows nothing of this conversation: the prompt has to stand alone, with paths, facts and what to answer.
- It cannot ask and cannot publish. One call at a time; the call ends when the child does.
- For wide searches and separate questions whose steps you do not need to see; small look-ups are quicker here.
- A child that fails is an error without partial answer.`;

const FORKED = `Gives a task to a child agent, which has seen the completed turns of this conversation and returns its final answer.
- It does not know what happened in the present turn: say that in the prompt; do not repeat the rest.
- It cannot ask and cannot publish. One call at a time; the call ends when the child does.
- For side questions whose steps you do not need to see; small look-ups are quicker here.
- A child that fails is an error without partial answer.`;

const ISOLATED = `Gives a task to a child agent that works on a copy of your tree, as it is now, in a sandbox of its own, and returns its final answer with its changes as a patch.
- It knows nothing of this conversation: the prompt has to stand alone, with paths, facts, what to change and how to prove it.
- What your commands left running is ended before the copy is made.
- It cannot ask and cannot publish. Calls of one reply run side by side, four at most; give each its own files.
- Nothing of it is in your tree until you take its patch over; a child that changed nothing has none.
- A child that fails is an error without patch.`;

/** What the model is told, which follows from what the child will know and where it works. */
export function delegationTexts({
  inheritsParentContext,
  isIsolated,
}: Pick<SubagentProvider, 'inheritsParentContext' | 'isIsolated'>) {
  if (isIsolated) {
    return {
      description: ISOLATED,
      guidance: (tool: string) =>
        `Delegate with ${tool} only separate parts of the work that touch other files than yours; read each patch before you take it over, and test the whole afterwards.`,
    };
  }
  return {
    description: inheritsParentContext ? FORKED : FRESH,
    guidance: (tool: string) => `Delegate with ${tool} only what can be answered in one text; check what it claims.`,
  };
}
