import type { RequestOptions } from 'node:http';
import { join } from 'node:path';
import { Faults } from './faults.ts';
import { Git } from './git/git.ts';
import type { Account, Actor, App, Installation, Issue, Repository, Runtime, Token } from './records.ts';
import type { Webhooks } from './webhooks.ts';

/** One logged call. `path` has no host and no `/api/v3`; `actor` is a login, `app` for a JWT, or `anonymous`. */
export interface RequestRecord {
  at: Date;
  kind: 'rest' | 'graphql' | 'git';
  method: string;
  path: string;
  query: Record<string, string>;
  headers: RequestOptions['headers'];
  body: unknown;
  status: number;
  actor: string;
}

/** Checks a call against GitHub's published description; the answer is what is wrong with it. */
export interface Validator {
  request(call: { operation: string; query: Record<string, string>; body: unknown }): string[];
  response?(answer: { operation: string; status: number; body: unknown }): string[];
}

export interface HubOptions {
  root: string;
  url: string;
  now: () => Date;
  app: App;
  validate: Validator | undefined;
}

/** The whole state of one demo GitHub, and the few look-ups everything else needs. */
export class Hub {
  readonly root: string;
  readonly url: string;
  readonly app: App;
  readonly validate: Validator | undefined;
  readonly accounts = new Map<string, Account>();
  readonly repositories: Repository[] = [];
  readonly installations: Installation[] = [];
  readonly tokens = new Map<string, Token>();
  /** By what a runner hands to its job. */
  readonly runtimes = new Map<string, Runtime>();
  /** What whoever comes with such a code gets, once. */
  readonly manifestCodes = new Map<string, { pem: string; webhook_secret: string }>();
  readonly requests: RequestRecord[] = [];
  readonly faults: Faults;
  webhooks!: Webhooks;
  #lastId = 1000;
  readonly #now: () => Date;
  readonly #gits = new Map<string, Git>();

  constructor({ root, url, now, app, validate }: HubOptions) {
    this.root = root;
    this.url = url;
    this.app = app;
    this.validate = validate;
    this.#now = now;
    this.faults = new Faults(now);
  }

  now(): Date {
    return this.#now();
  }

  nextId(): number {
    return ++this.#lastId;
  }

  get hooksDir(): string {
    return join(this.root, 'hooks');
  }

  get apiUrl(): string {
    return `${this.url}/api/v3`;
  }

  /** The account of a login, made on first sight: tests name people freely. */
  account(login: string): Account {
    const known = this.findAccount(login);
    if (known) return known;
    const type = login.endsWith('[bot]') ? 'Bot' : 'User';
    const account: Account = { id: this.nextId(), login, type, name: null, createdAt: this.now() };
    this.accounts.set(login.toLowerCase(), account);
    return account;
  }

  findAccount(login: string): Account | undefined {
    return this.accounts.get(login.toLowerCase());
  }

  /** A repository by `owner/name`, former names included, whatever the case. */
  findRepository(fullName: string): Repository | undefined {
    const wanted = fullName.toLowerCase();
    return (
      this.repositories.find((repository) => fullNameOf(repository).toLowerCase() === wanted) ??
      this.repositories.find((repository) => repository.formerNames.some((name) => name.toLowerCase() === wanted))
    );
  }

  git(repository: Repository): Git {
    const known = this.#gits.get(repository.gitDir);
    if (known) return known;
    const git = new Git(repository.gitDir);
    this.#gits.set(repository.gitDir, git);
    return git;
  }

  installationOf(repository: Repository): Installation | undefined {
    return this.installations.find((installation) => installation.account === repository.owner);
  }
}

export const fullNameOf = (repository: Repository) => `${repository.owner.login}/${repository.name}`;

export const issuesOf = (repository: Repository): Issue[] => [...repository.issues.values()];

/** The account a call acts as; an app acts as its bot. */
export function accountOf(actor: Actor): Account | undefined {
  return actor.kind === 'person' || actor.kind === 'app' ? actor.account : undefined;
}

/** The app a call acts through, which GitHub names as `performed_via_github_app`. */
export const appOf = (actor: Actor): App | null => (actor.kind === 'app' ? actor.app : null);
