import { hasPermission, isInstalledOn, mayPush } from '../access.ts';
import { afterRefUpdate, zeroSha } from '../changes/ref-updates.ts';
import { isAncestor, readRef } from '../git/refs.ts';
import { accountOf, type Hub } from '../hub.ts';
import type { Actor, Repository } from '../records.ts';
import { forbidden, GraphqlError, unknownNode } from './graphql-error.ts';

interface RefUpdate {
  readonly name: string;
  readonly beforeOid?: string;
  readonly afterOid: string;
  readonly force?: boolean;
}

/** Moves refs from the values they are said to have, all of them or none. */
export async function updateRefs(hub: Hub, actor: Actor, input: Record<string, unknown>) {
  const repository = hub.repositories.find(({ id }) => `R_${id}` === input.repositoryId);
  if (!repository) throw unknownNode(input.repositoryId);
  if (!mayWrite(repository, actor)) throw forbidden();
  const git = hub.git(repository);
  const updates = input.refUpdates as readonly RefUpdate[];
  const moves = await Promise.all(updates.map((update) => check(hub, repository, update)));
  const commands = moves.map(({ ref, before, after }) => `update ${ref} ${after} ${before}\n`).join('');
  await git.run(['update-ref', '--stdin'], { input: commands }).catch(() => {
    throw refused('Reference cannot be updated');
  });
  for (const move of moves) await afterRefUpdate(hub, repository, move, accountOf(actor)!);
  return { clientMutationId: null };
}

async function check(hub: Hub, repository: Repository, { name, beforeOid, afterOid, force = false }: RefUpdate) {
  const git = hub.git(repository);
  const before = (await readRef(git, name)) ?? zeroSha;
  if (!name.startsWith('refs/')) throw refused(`${name} is not a valid ref name`);
  if (beforeOid !== undefined && before !== beforeOid) throw refused(`${name} is not at ${beforeOid}`);
  const moves = before !== zeroSha && afterOid !== zeroSha;
  if (moves && !force && !(await isAncestor(git, before, afterOid))) throw refused('Update is not a fast forward');
  return { ref: name, before, after: afterOid };
}

function mayWrite(repository: Repository, actor: Actor): boolean {
  if (actor.kind === 'app')
    return isInstalledOn(repository, actor) && hasPermission(actor.permissions, 'contents:write');
  return actor.kind === 'person' && mayPush(repository, actor.account);
}

const refused = (message: string) => new GraphqlError('UNPROCESSABLE', message);
