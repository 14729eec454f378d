import { maySee } from '../access.ts';
import { accountOf, type Hub } from '../hub.ts';
import type { Actor } from '../records.ts';
import { requiresAuthentication } from '../refusal.ts';
import type { Reply } from '../rest/route.ts';
import { GraphqlError } from './graphql-error.ts';
import { updateRefs } from './update-refs.ts';
import { changeReaction, settleThread, visibleThread } from './mutations.ts';
import { editedNode, visibleComment } from './edited-comment.ts';
import { pullNode, threadNode } from './nodes.ts';
import { parseGraphql, type Field } from './parse-graphql.ts';
import { argumentsOf, project } from './project.ts';

type Arguments = Record<string, unknown>;

/** Answers a query or mutation about review threads and reactions. As on GitHub, a refusal is a 200 with `errors`. */
export async function runGraphql(hub: Hub, actor: Actor, body: unknown): Promise<Reply> {
  if (actor.kind === 'anonymous') throw requiresAuthentication();
  const { query, variables = {} } = body as { query: string; variables?: Arguments };
  const data: Arguments = {};
  const errors: unknown[] = [];
  for (const field of parseGraphql(query)) {
    try {
      data[field.alias] = project(await root(hub, actor, field, variables), field.fields, variables);
    } catch (error) {
      if (!(error instanceof GraphqlError)) throw error;
      data[field.alias] = null;
      errors.push({ type: error.type, path: [field.alias], message: error.message });
    }
  }
  return { status: 200, body: errors.length > 0 ? { data, errors } : { data } };
}

function root(hub: Hub, actor: Actor, field: Field, variables: Arguments): unknown {
  const given = argumentsOf(field.arguments, variables);
  const input = (given.input ?? {}) as Arguments;
  switch (field.name) {
    case 'viewer':
      return { login: accountOf(actor)?.login, databaseId: accountOf(actor)?.id };
    case 'repository':
      return repositoryNode(hub, actor, given);
    case 'node':
      return String(given.id).startsWith('IC_')
        ? editedNode(visibleComment(hub, actor, given.id))
        : threadNode(visibleThread(hub, actor, given.id));
    case 'resolveReviewThread':
    case 'unresolveReviewThread':
      return settleThread(hub, actor, input, field.name === 'resolveReviewThread');
    case 'addReaction':
    case 'removeReaction':
      return changeReaction(hub, actor, input, field.name === 'addReaction');
    case 'updateRefs':
      return updateRefs(hub, actor, input);
    default:
      throw new GraphqlError('undefinedField', `Field '${field.name}' doesn't exist here`);
  }
}

function repositoryNode(hub: Hub, actor: Actor, { owner, name }: Arguments) {
  const repository = hub.findRepository(`${owner}/${name}`);
  if (!repository || !maySee(repository, actor)) throw notFound(`a Repository with the name '${owner}/${name}'.`);
  return {
    name: repository.name,
    databaseId: repository.id,
    pullRequest: ({ number }: Arguments) => {
      const issue = repository.issues.get(Number(number));
      if (!issue?.pull) throw notFound(`a PullRequest with the number of ${number}.`);
      return pullNode(issue, issue.pull);
    },
  };
}

const notFound = (what: string) => new GraphqlError('NOT_FOUND', `Could not resolve to ${what}`);
