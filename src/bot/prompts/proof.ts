/** What a change is answered whose tests pass on the base as well (PR32). */
export const PROVES_NOTHING =
  'The tests that you added or changed pass without the change, too, so they show nothing. Make one fail for the stated reason on the tree as it was, or say in `notes` why there can be none; then call `submit_result` again.';
