import { hasPermission, isInstalledOn, maySee, mayPush } from '../access.ts';
import { accountOf, type Hub } from '../hub.ts';
import type { Actor } from '../records.ts';
import { requiresAuthentication } from '../refusal.ts';
import type { Reply } from '../rest/route.ts';
import { findThread, pullNode, threadNode, type FoundThread } from './nodes.ts';
import { argumentValue, parseGraphql, type Field } from './parse-graphql.ts';

class GraphqlError extends Error {
  readonly type: string;

  constructor(type: string, message: string) {
    super(message);
    this.type = type;
  }
}

type Arguments = Record<string, unknown>;

/** Answers a query or mutation about review threads. As on GitHub, a refusal is a 200 with `errors`. */
export function runGraphql(hub: Hub, actor: Actor, body: unknown): Reply {
  if (actor.kind === 'anonymous') throw requiresAuthentication();
  const { query, variables = {} } = body as { query: string; variables?: Record<string, unknown> };
  const data: Record<string, unknown> = {};
  const errors: unknown[] = [];
  for (const field of parseGraphql(query)) {
    try {
      data[field.alias] = project(root(hub, actor, field, variables), field.fields, variables);
    } catch (error) {
      if (!(error instanceof GraphqlError)) throw error;
      data[field.alias] = null;
      errors.push({ type: error.type, path: [field.alias], message: error.message });
    }
  }
  return { status: 200, body: errors.length > 0 ? { data, errors } : { data } };
}

function root(hub: Hub, actor: Actor, field: Field, variables: Record<string, unknown>): unknown {
  const given = Object.fromEntries(
    Object.entries(field.arguments).map(([name, argument]) => [name, argumentValue(argument, variables)]),
  );
  switch (field.name) {
    case 'viewer':
      return { login: accountOf(actor)?.login, databaseId: accountOf(actor)?.id };
    case 'repository':
      return repositoryNode(hub, actor, given);
    case 'node':
      return threadNode(visibleThread(hub, actor, given.id));
    case 'resolveReviewThread':
    case 'unresolveReviewThread':
      return settle(hub, actor, (given.input as Arguments).threadId, field.name === 'resolveReviewThread');
    default:
      throw new GraphqlError('undefinedField', `Field '${field.name}' doesn't exist on this GitHub`);
  }
}

function repositoryNode(hub: Hub, actor: Actor, { owner, name }: Arguments) {
  const repository = hub.findRepository(`${owner}/${name}`);
  if (!repository || !maySee(repository, actor))
    throw notFound(`Could not resolve to a Repository with the name '${owner}/${name}'.`);
  return {
    ...{ name: repository.name, databaseId: repository.id },
    pullRequest: ({ number }: Arguments) => {
      const issue = repository.issues.get(Number(number));
      if (!issue?.pull) throw notFound(`Could not resolve to a PullRequest with the number of ${number}.`);
      return pullNode(issue, issue.pull);
    },
  };
}

function settle(hub: Hub, actor: Actor, id: unknown, resolved: boolean) {
  const found = visibleThread(hub, actor, id);
  const account = accountOf(actor)!;
  const allowed =
    actor.kind === 'app'
      ? isInstalledOn(found.repository, actor) && hasPermission(actor.permissions, 'pull_requests:write')
      : mayPush(found.repository, account) || found.issue.author === account;
  if (!allowed) throw new GraphqlError('FORBIDDEN', 'Resource not accessible by integration');
  found.thread.resolvedBy = resolved ? account : null;
  const thread = {
    node_id: found.thread.nodeId,
    comments: found.thread.comments.map((comment) => ({ id: comment.id, body: comment.body })),
  };
  hub.webhooks.emit('pull_request_review_thread', found.repository, account, {
    action: resolved ? 'resolved' : 'unresolved',
    thread,
  });
  return { thread: threadNode(found) };
}

function visibleThread(hub: Hub, actor: Actor, id: unknown): FoundThread {
  const found = findThread(hub, String(id));
  if (!found || !maySee(found.repository, actor))
    throw notFound(`Could not resolve to a node with the global id of '${String(id)}'`);
  return found;
}

const notFound = (message: string) => new GraphqlError('NOT_FOUND', message);

/** Picks the asked fields; a function in a node takes the field's arguments. */
function project(node: unknown, fields: Field[], variables: Record<string, unknown>): unknown {
  if (fields.length === 0 || node === null || node === undefined) return node ?? null;
  if (Array.isArray(node)) return node.map((item) => project(item, fields, variables));
  const source = node as Record<string, unknown>;
  return Object.fromEntries(
    fields.map((field) => {
      const value = source[field.name];
      const given = Object.fromEntries(
        Object.entries(field.arguments).map(([name, argument]) => [name, argumentValue(argument, variables)]),
      );
      return [
        field.alias,
        project(
          typeof value === 'function' ? (value as (given: Arguments) => unknown)(given) : value,
          field.fields,
          variables,
        ),
      ];
    }),
  );
}
