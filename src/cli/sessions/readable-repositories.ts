import type { SessionPersistence } from '../../harness/session/persistence.ts';
import { SessionId } from '../../harness/session/types.ts';
import { repositoryOf } from '../../bot/session/repository-of.ts';
import type { LoggedRepo } from '../../bot/session/session-events.ts';

export interface RepositoryReader {
  readonly token: string;
  readonly apiUrl: string;
  readonly sessions: Pick<SessionPersistence, 'has' | 'inspect'>;
  readonly fetch?: typeof globalThis.fetch;
}

const ANSWER_MS = 10_000;
/** Child agents have the name of the session they work for, and more. */
const OF_REPOSITORY = /^(gh-(\d+)-\d+-\d+)/;

/** Whether the owner of a token may read sessions now: those of repositories that GitHub shows him, and local ones. */
export class ReadableRepositories {
  readonly #reader: RepositoryReader;
  /** One question a repository, by its id. */
  readonly #asked = new Map<number, Promise<boolean>>();

  constructor(reader: RepositoryReader) {
    this.#reader = reader;
  }

  readonly mayRead = async (id: SessionId): Promise<boolean> => {
    const [, session, repository] = OF_REPOSITORY.exec(id) ?? [];
    if (session === undefined) return true;
    const known = this.#asked.get(Number(repository));
    if (known) return known;
    const repo = await this.#repositoryOf(SessionId(session), Number(repository));
    if (!repo) return false;
    const answer = this.#asked.get(repo.id) ?? this.#ask(repo);
    this.#asked.set(repo.id, answer);
    return answer;
  };

  async #repositoryOf(session: SessionId, repository: number): Promise<LoggedRepo | undefined> {
    const { sessions } = this.#reader;
    if (!(await sessions.has(session))) return undefined;
    // A damaged log names nothing; the repository may still be known by another one.
    const stored = await sessions.inspect(session).catch(() => undefined);
    const repo = stored && repositoryOf(stored.events);
    return repo?.id === repository ? repo : undefined;
  }

  /** A GitHub that does not answer shows nothing. */
  async #ask({ id, owner, name }: LoggedRepo): Promise<boolean> {
    const { token, apiUrl, fetch = globalThis.fetch } = this.#reader;
    try {
      const answer = await fetch(`${apiUrl}/repos/${encodeURIComponent(owner)}/${encodeURIComponent(name)}`, {
        headers: { authorization: `Bearer ${token}`, accept: 'application/vnd.github+json' },
        signal: AbortSignal.timeout(ANSWER_MS),
      });
      return answer.ok && ((await answer.json()) as { id?: unknown }).id === id;
    } catch {
      return false;
    }
  }
}
