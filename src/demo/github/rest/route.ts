import type { Hub } from '../hub.ts';
import type { Account, Actor, Repository, Role } from '../records.ts';

/** Who may make a call. `app` lists the permissions of which a token needs one (`issues|pull_requests:write`). */
export interface Access {
  app?: string;
  person?: Role;
}

export interface Call {
  hub: Hub;
  actor: Actor;
  params: Record<string, string>;
  query: Record<string, string>;
  headers: Record<string, string | string[] | undefined>;
  body: Record<string, unknown>;
  /** The request's path with its query, for `Link` headers. */
  url: URL;
}

export interface RepositoryCall extends Call {
  repository: Repository;
  /** Whom the call acts as; only on routes that need a permission. */
  account: Account;
}

export interface Reply {
  status: number;
  body?: unknown;
  headers?: Record<string, string>;
}

export type Handle<C> = (call: C) => Reply | Promise<Reply>;

/** `operation` is `METHOD /path` as GitHub's OpenAPI description writes it. */
export type Route =
  | { operation: string; on: 'server'; handle: Handle<Call> }
  | { operation: string; on: 'repository'; access: Access; handle: Handle<RepositoryCall> };

export const serverRoute = (operation: string, handle: Handle<Call>): Route => ({ operation, on: 'server', handle });

/** A route below `/repos/{owner}/{repo}`; the repository is looked up and the access checked before `handle` runs. */
export const repositoryRoute = (operation: string, access: Access, handle: Handle<RepositoryCall>): Route => ({
  operation: operation.replace(' ', ' /repos/{owner}/{repo}'),
  on: 'repository',
  access,
  handle,
});

export const ok = (body: unknown): Reply => ({ status: 200, body });
export const created = (body: unknown): Reply => ({ status: 201, body });
export const noContent = (): Reply => ({ status: 204 });
