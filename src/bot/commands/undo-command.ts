import { undoPublication } from '../../publish/pull-request/undo-publication.ts';
import { failure, success } from './human-command.ts';
import type { HumanCommandHandler } from './human-command.ts';

/** Takes back what the session published: its open pull request, and the branch where all commits on it are ours. */
export const undoCommand: HumanCommandHandler = async ({ intake, place, services }) => {
  const { session } = intake;
  if (services.live.of(session)) return failure('A turn is running here. Write `/dsh stop` first.');
  const { access, config, signal } = place;
  const { github, repo, ownLogin } = access;
  const wanted = { session, prefix: config.branch.prefix, ownLogin };
  const undone = await undoPublication(github, repo, wanted, signal);
  if (!undone) return failure('There is no open pull request of mine for this.');
  const { number, branch, isBranchKept } = undone;
  return success(
    isBranchKept
      ? `Closed #${number}. \`${branch}\` holds commits of other people, or is the base of theirs, so it stays.`
      : `Closed #${number} and deleted \`${branch}\`.`,
  );
};
