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

/** What the model is told, which follows from what the child will know. */
export function delegationTexts(inheritsParentContext: boolean) {
  return {
    description: inheritsParentContext ? FORKED : FRESH,
    guidance: (tool: string) => `Delegate with ${tool} only what can be answered in one text; check what it claims.`,
  };
}
