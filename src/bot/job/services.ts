import type { ConfigFile } from '../../config/config-file.ts';
import type { Config } from '../../config/config.ts';
import type { SessionPersistence } from '../../harness/session/persistence.ts';
import type { SessionEvent, SessionId, TurnTrigger } from '../../harness/session/types.ts';
import type { CommandDescriptor, CommandResult } from '../../seams/commands/types.ts';
import type { CompactionResult } from '../../seams/compaction/types.ts';
import type { HumanRequest, Records } from '../../store/records.ts';
import type { Language } from '../../publish/language.ts';
import type { Surface } from '../../publish/progress/surface.ts';
import type { CommandName } from '../../triggers/command-table.ts';
import type { EndReason } from '../../triggers/reading.ts';
import type { Intake } from '../../triggers/intake.ts';
import type { CommandLimit } from '../limits/command-limit.ts';
import type { HumanCommandHandler } from '../commands/human-command.ts';
import type { Desk } from './desk.ts';
import type { RepositoryAccess } from './job.ts';
import type { LiveTurns } from './live-turns.ts';

/** Where an intake is carried out: one repository under its settings. */
export interface Place {
  readonly access: RepositoryAccess;
  /** Numeric; survives renames. */
  readonly repository: number;
  readonly config: Config;
  readonly layers: ConfigLayers;
  readonly surface: Surface;
  readonly signal: AbortSignal;
}

/** What the settings are made of, weakest first; the defaults are below them. */
export interface ConfigLayers {
  readonly operator: ConfigFile;
  readonly repository: ConfigFile;
  readonly inputs: ConfigFile;
}

export type AnswerIntake = Extract<Intake, { kind: 'answer' }>;

/** What an answer comes to: words for whoever answered, and a request whose parked turn is to be gone on with now. */
export interface Answered {
  readonly say?: CommandResult | undefined;
  readonly wakes?: HumanRequest | undefined;
}

/** Settles what people are asked. */
export interface People {
  settle(answer: AnswerIntake, place: Place): Promise<Answered>;
  /** The request where a turn waits for it that nobody has in hand; undefined while it is open, and once it is over. */
  wakes(request: HumanRequest): Promise<HumanRequest | undefined>;
  /** Nothing of the session waits any longer; with `of` only the request or job named by that cause, or that comment. */
  withdraw(
    session: SessionId,
    why: EndReason | 'stopped' | 'forgotten',
    place: Place | undefined,
    of?: Withdrawn,
  ): Promise<number>;
  /**
   * A push moved the branch that the session publishes to: what is asked about that is withdrawn, for the plan is another one
   * now (approval.md N7). The request whose parked turn is to be gone on with, so that it asks anew.
   */
  outdatePlans(session: SessionId, place: Place): Promise<HumanRequest | undefined>;
}
export interface Withdrawn {
  readonly cause: string;
  readonly commentId: number | undefined;
}

export interface CompactRequest {
  readonly session: SessionId;
  readonly trigger: TurnTrigger;
  readonly config: Config;
  readonly signal: AbortSignal;
}

/** Where people find a session's transcript as a page. Times are epoch milliseconds. */
export type TranscriptAddress =
  | { readonly kind: 'signed'; readonly url: string; readonly until: number }
  | { readonly kind: 'page'; readonly url: string }
  | { readonly kind: 'none'; readonly why: 'no-address' | 'public' };

/** What the composition root gives to everything that answers people without the model. */
export interface BotServices {
  readonly records: Records;
  readonly sessions: SessionPersistence;
  readonly live: LiveTurns;
  readonly people: People | undefined;
  readonly now: () => Date;
  readonly log: (message: string, error?: unknown) => void;
  readonly redact: (text: string) => string;
  readonly limit: CommandLimit;
  /** A session as Markdown. */
  transcript(events: readonly SessionEvent[]): string;
  /** For a comment in a repository that may be public; absent where no server shows sessions. */
  readonly transcriptAddress?: ((session: SessionId, isPublic: boolean) => TranscriptAddress) | undefined;
  /** `provider/model` that a job under these settings runs with. Throws `MODEL_NOT_CONFIGURED`. */
  modelOf(config: Config): string;
  /** The providers there are keys for. */
  readonly providers: readonly string[];
  /** Condenses the history of a session that rests; null where there is nothing to. */
  compact(request: CompactRequest): Promise<CompactionResult | null>;
  /** Works with the session's agent between turns, without sandbox and model. Undefined where it has no log. */
  atDesk<T>(
    session: SessionId,
    signal: AbortSignal,
    work: (desk: Desk) => Promise<T>,
    language?: Language | undefined,
  ): Promise<T | undefined>;
  /** The commands that plugins bring to every session, by name (commands.md, C9). */
  plugged(): Promise<readonly CommandDescriptor[]>;
  /** One of them to a session that rests; undefined where it has no log, or does not understand it. */
  commandPlugged(session: SessionId, line: string, signal: AbortSignal): Promise<CommandResult | undefined>;
  /** Commands that come with other parts. */
  readonly handlers: Partial<Readonly<Record<CommandName, HumanCommandHandler>>>;
}
