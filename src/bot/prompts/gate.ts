/** What a first `submit_result` for a state of the tree answers (PR53). */
export const GATE_HEAD =
  'Not accepted yet. This is the change as it would be published: look at it once more, correct what should not be in it, then call `submit_result` again. What you leave as it is will be accepted.';

export const GATE_FOUND = 'The host noticed:';

/** `fixed` with a tree that holds no change (PR36). */
export const GATE_UNCHANGED =
  'the work tree holds no change — change something, or submit `nothing_to_do` or `not_fixed`';
