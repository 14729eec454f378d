import type { ConfigFile } from '../../config/config-file.ts';
import type { Config } from '../../config/config.ts';
import type { GitHub } from '../../github/client.ts';
import type { TokenUse } from '../../github/least-permissions.ts';
import type { PermissionLookup } from '../../github/permissions.ts';
import type { RepoRef } from '../../github/repository.ts';
import type { TokenProvider } from '../../github/token-provider.ts';
import type { SessionId } from '../../harness/session/types.ts';
import type { InputUse } from '../../seams/token-meter/cached-input.ts';
import type { VerifyRun } from '../../publish/pull-request/plan-pull-request.ts';
import type { Surface, Turn } from '../../publish/progress/surface.ts';
import type { LedgerEntry } from '../../publish/review/ledger.ts';
import type { PlacedFinding } from '../../publish/review/place-finding.ts';
import type { OwnIdentity } from '../../triggers/trigger-config.ts';
import type { KeptWork } from '../fix/kept-work.ts';
import type { Opening } from './opening.ts';
import type { Terminal } from '../people/ask/terminal.ts';
import type { LocalWork } from './local-work.ts';
import type { RefusedHost } from '../telling/refused-hosts.ts';

/** One repository as a host may use it: a client with its rights, tokens for git, and who we are there. */
export interface RepositoryAccess {
  readonly github: GitHub;
  readonly repo: RepoRef;
  readonly token: TokenProvider;
  readonly self: OwnIdentity;
  /** The login whose comments and reactions are ours. */
  readonly ownLogin: string;
  readonly permissionOf: PermissionLookup;
  /** The repository's own settings at its default branch, checked against what the operator allows. */
  repositoryConfig(operator: ConfigFile): Promise<ConfigFile>;
  /** Whether GitHub takes changes to workflows from this token (U1); absent counts as no. */
  mayWriteWorkflows?(signal: AbortSignal): Promise<boolean>;
  /** The same with tokens of its own, which may do what this takes and no more (X9); absent where nothing can be narrowed. */
  narrowedTo?(use: TokenUse): RepositoryAccess;
  /** Nothing is written; the would-be writes go to whoever opened the access. */
  readonly dryRun: boolean;
  /** Of the App on this repository; absent where a token is used. */
  readonly installationId?: number | undefined;
}

export interface JobRequest {
  readonly turn: Turn;
  readonly session: SessionId;
  readonly access: RepositoryAccess;
  readonly config: Config;
  readonly surface: Surface;
  readonly signal: AbortSignal;
  /** Set where there is no GitHub behind the job. */
  readonly local?: LocalWork | undefined;
  /** Known before the turn, such as a settings file that cannot be read: the job tells it and ends. */
  readonly problem: Problem | undefined;
  /** A person ran the host again: what failed is done once more, and not just told. */
  readonly isAgain?: boolean | undefined;
  /** This host keeps no events: each push is a job at once, and does not wait for those that follow (R13). */
  readonly takesEachPush?: boolean | undefined;
  /** How the turn begins; absent, with the words of `turn`. */
  readonly opening?: Opening | undefined;
  /** The page where whoever may read the repository sees the whole session, where this host has one. */
  readonly transcript?: string | undefined;
  /** How this host asks people, where it is not by a comment that is waited for as configured. */
  readonly asking?: HostAsking | undefined;
}

export interface HostAsking {
  /** Somebody sits at this terminal. */
  readonly terminal?: Terminal | undefined;
  /** Milliseconds after which a turn that waits is parked, in place of `park.afterMs`. */
  readonly parkAfterMs?: number | undefined;
}

/** Why a job did not get there, in words for people. */
export interface Problem {
  readonly code: string;
  readonly message: string;
  readonly hint: string | undefined;
}

export interface ReviewedHead {
  readonly repositoryUrl: string;
  readonly headSha: string;
  /** Findings of earlier reviews that are open at it. */
  readonly stillOpen?: readonly LedgerEntry[];
}

export type Produced =
  | {
      readonly kind: 'pull-request';
      readonly number: number;
      readonly url: string;
      readonly branch: string;
      readonly commitSha: string;
      readonly draft: boolean;
      readonly title: string;
    }
  | { readonly kind: 'commit'; readonly branch: string; readonly commitSha: string; readonly url: string }
  | { readonly kind: 'local-branch'; readonly branch: string; readonly commitSha: string }
  | { readonly kind: 'patch'; readonly diff: string }
  /** The change as a review of suggestions, for whoever owns the branch to commit. */
  | { readonly kind: 'suggestions'; readonly id: number; readonly url: string; readonly count: number }
  /** Saved on a branch of its own, since it could not go where it was asked; `why` is for people. */
  | {
      readonly kind: 'branch';
      readonly branch: string;
      readonly commitSha: string;
      readonly url: string;
      readonly why: string;
    }
  | {
      readonly kind: 'review';
      readonly id: number;
      readonly url: string;
      readonly findings: readonly PlacedFinding[];
      readonly reviewed: ReviewedHead;
      /** Pushed while this head was reviewed. */
      readonly newerHead?: string;
    }
  /** A review that GitHub did not let us post. */
  | {
      readonly kind: 'findings';
      readonly body: string;
      readonly findings: readonly PlacedFinding[];
      readonly reviewed: ReviewedHead;
    }
  | { readonly kind: 'answer'; readonly text: string }
  | { readonly kind: 'plan'; readonly text: string; readonly approved: boolean }
  | { readonly kind: 'nothing' };

export interface JobOutcome {
  readonly status: 'completed' | 'parked' | 'stopped' | 'failed';
  readonly session: SessionId;
  readonly produced: Produced;
  /** What the model says was done, or found. */
  readonly summary: string;
  readonly verify: readonly VerifyRun[];
  /** Changes that only people may push, as a patch. */
  readonly patch?: string | undefined;
  readonly problem: Problem | undefined;
  /** What became of changes that were not published (U8). */
  readonly kept?: KeptWork | undefined;
  /** What the network refused to commands and to setup. */
  readonly refused: readonly RefusedHost[];
  /** Why the tree has no dependencies of its own, where setup was to bring them. */
  readonly setupProblem: string | undefined;
  /** Names the texts that the model was told; undefined where it was asked nothing. */
  readonly promptVersion?: string | undefined;
  /** What its requests sent; undefined where the provider tells nothing of a cache. */
  readonly input?: InputUse | undefined;
  readonly tokens: number;
  /** US dollars; undefined where the model's price is not known. */
  readonly cost: number | undefined;
}
