import type { CallId } from '../../harness/llm/types.ts';
import type { JsonValue } from '../../harness/session/types.ts';

/** Numeric ids survive a rename. */
export interface LoggedRepo {
  id: number;
  owner: string;
  name: string;
}
export interface LoggedSubject {
  kind: 'issue' | 'pull';
  number: number;
}
export interface LoggedActor {
  id: number;
  login: string;
}
export interface LoggedCommand {
  name: string;
  args: Record<string, string | true>;
  text: string;
}
export interface LoggedComment {
  id: number;
  url: string;
  place: 'issue' | 'issue-comment' | 'review' | 'review-comment';
}

/** What every trigger from GitHub says. A `cause` starts at most one turn, ever. */
interface Origin {
  cause: string;
  delivery: string;
  repo: LoggedRepo;
  subject: LoggedSubject;
}

declare module '../../harness/session/types.ts' {
  interface TurnTriggerMap {
    'github-command': Origin & {
      kind: 'github-command';
      actor: LoggedActor;
      command: LoggedCommand;
      /** Absent where the body of the issue or pull request itself holds the command. */
      comment?: LoggedComment;
    };
    'github-issue': Origin & { kind: 'github-issue'; actor: LoggedActor; action: string; label?: string };
    'github-pull-request': Origin & {
      kind: 'github-pull-request';
      actor: LoggedActor;
      action: string;
      headSha: string;
      baseSha: string;
      before?: string;
    };
    'github-check-failure': Origin & {
      kind: 'github-check-failure';
      /** On whose authority: who asked for the fix. */
      actor: LoggedActor;
      run: { id: number; name: string; url: string };
      headSha: string;
    };
    /** Goes on with a parked job, whose cause it carries. */
    'github-answer': Omit<Origin, 'delivery'> & {
      kind: 'github-answer';
      request: string;
      actor?: LoggedActor;
      delivery?: string;
    };
    /** Goes on with a job that lost its worker, whose cause it carries. `turn` is the one that was cut off. */
    'github-resume': Omit<Origin, 'delivery'> & { kind: 'github-resume'; turn: number };
    /** One round of a goal, begun by itself in the job whose cause it carries. */
    'goal-round': { kind: 'goal-round'; cause: string; round: number };
    'github-dispatch': {
      kind: 'github-dispatch';
      cause: string;
      repo: LoggedRepo;
      ref: string;
      inputs: Record<string, string>;
      prompt: string;
      delivery?: string;
    };
    /** A command that needs an open turn and no model. */
    maintenance: { kind: 'maintenance'; command: string; actor: LoggedActor; cause?: string };
  }

  /** All log-only: comments and check runs can be drawn again from them. Times are epoch milliseconds. */
  interface SessionEventMap {
    /**
     * From here on the turn waits for a person, and everything needed to go on is stored: whoever loads this log finds it
     * parked, however the process that wrote it ended. `callId` is absent where a publication asks.
     */
    'human/asked': { turn: number; request: string; kind: 'approval' | 'question'; callId?: CallId };
    /** Stands between an ask and its decision. `value` is what a question was answered with. */
    'human/answer': {
      turn: number;
      request: string;
      actor?: LoggedActor;
      /** As it was looked up then; words that are not the actor's own are not trusted. */
      standing?: { permission: string; trusted: boolean };
      how: 'box' | 'reaction' | 'command' | 'reply' | 'terminal' | 'timeout' | 'withdrawn';
      value?: JsonValue;
      url?: string;
      at: number;
    };
    /** The commit the work tree was made from. */
    'workspace/base': { turn: number; ref: string; sha: string; head?: string; profile: string };
    'workspace/snapshot': { turn: number; digest: string; base: string; bytes: number };
    'verify/result': {
      turn: number;
      command: string;
      exitCode: number | null;
      signal: string | null;
      timedOut: boolean;
      /** Why the sandbox was lost while it ran. */
      lost?: string;
      /** Whether it ran on the tree before the change, to tell old failures from new ones. */
      onBase: boolean;
      /** On that tree with only the tests of the change laid over it: do they fail without it? */
      withTests?: boolean;
      durationMs: number;
      /** Where the full output is kept. */
      spill?: string;
    };
    /** One per call or set-up run that asked for the network. */
    'sandbox/network': { turn: number; callId?: CallId; requests: NetworkRequests[] };
    'publish/done': {
      turn: number;
      what: 'branch' | 'commit' | 'pull-request' | 'review' | 'comment' | 'check-run';
      id: number | string;
      url: string;
      sha?: string;
    };
    /** What a job came to, just before its turn ends: whoever finds it untold tells it. */
    'job/result': { turn: number; result: JsonValue };
    /** `spent` and `cap` are in the unit of the limit. */
    'budget/stop': { turn: number; limit: string; spent: number; cap: number };
    /** Once per route and turn: cost is drawn with the price of its day. */
    'price/used': { turn: number; provider: string; model: string; perMillion: PricePerMillion; asOf: string };
  }
}

declare module '../../harness/llm/types.ts' {
  interface MessageSourceMap {
    /** `trusted` is set from a looked-up permission, never from text. */
    github: {
      kind: 'github';
      actor: string;
      association: string;
      permission: string;
      url: string;
      trusted: boolean;
      /** Of words to a turn that ran already: what they came by, so that they are not said again. */
      cause?: string;
    };
  }
}

/** Equal requests are counted, not repeated. */
export interface NetworkRequests {
  host: string;
  port: number;
  verdict: 'allowed' | 'refused';
  reason?: string;
  count: number;
}

/** US dollars for a million tokens. */
export interface PricePerMillion {
  input: number;
  output: number;
  cacheRead?: number;
  cacheWrite?: number;
}
