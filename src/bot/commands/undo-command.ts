import { branchStem } from '../../github/branch-name.ts';
import { undoPublication } from '../../publish/pull-request/undo-publication.ts';
import { issueOf } from '../session/session-id.ts';
import { textsFor } from './command-texts.ts';
import { failure, success } from './human-command.ts';
import type { HumanCommandHandler } from './human-command.ts';

/** Takes back what the session published: its open pull request, and the branch where all commits on it are ours. */
export const undoCommand: HumanCommandHandler = async (command) => {
  const { intake, place, services } = command;
  const texts = textsFor(command);
  const { session } = intake;
  if (services.live.of(session)) return failure(texts.turnRuns);
  const { config, signal } = place;
  const { github, repo, ownLogin } = place.access.narrowedTo?.('undo') ?? place.access;
  const askedAt = intake.reading.comment?.createdAt;
  const { prefix } = config.branch;
  const number = issueOf(session);
  const stem = number === undefined ? undefined : branchStem({ kind: 'issue', number }, prefix);
  const wanted = { session, prefix, stem, ownLogin, askedAt };
  const undone = await undoPublication(github, repo, wanted, signal);
  if (!undone) return failure(texts.nothingToUndo);
  const { number: pull, branch, isBranchKept, wasClosed } = undone;
  if (wasClosed) return success(texts.branchUndone(pull, branch));
  return success(isBranchKept ? texts.closedOnly(pull, branch) : texts.undone(pull, branch));
};
