import type { Context } from '../kernel/context.ts';
import { isAgentLoopRequest } from '../llm/agent-loop-request.ts';
import { HarnessError } from '../llm/errors.ts';
import type { GenerateOptions, Message } from '../llm/types.ts';
import { composeRequest } from '../session/compose-request.ts';
import { History } from '../session/history.ts';
import { canonicalJson } from '../session/json.ts';
import type { Session } from '../session/session.ts';
import { SurfaceFold } from '../session/surface-fold.ts';
import type { EpochHeader } from '../session/types.ts';

/** Nothing reaches the model that the log cannot reproduce: every request of the loop is built again and compared. */
export function installRequestChecker(ctx: Context): void {
  const logs = new WeakMap<Session, LogReader>();
  const check = (options: GenerateOptions): void => {
    const session = options.sessionId && ctx.sessions.get(options.sessionId);
    if (!session) throw mismatch('its session is not live');
    const log = logs.get(session) ?? new LogReader(session);
    logs.set(session, log);
    log.check(options);
  };
  ctx.on(
    'llm/stream',
    (options, next) => {
      if (isAgentLoopRequest(options)) check(options);
      return next();
    },
    { prepend: true },
  );
}

/** Its own folds over the log, so that a fault in those of the session shows. */
class LogReader {
  readonly #session: Session;
  readonly #surface: SurfaceFold;
  readonly #history: History;
  #read = 0;
  #header: EpochHeader | undefined;
  #boundary: Message[] | undefined;

  constructor(session: Session) {
    const eventAt = (seq: number) => session.eventAt(seq);
    this.#session = session;
    this.#surface = new SurfaceFold(eventAt);
    this.#history = new History(this.#surface, eventAt);
  }

  check(options: GenerateOptions): void {
    this.#catchUp();
    if (!this.#header || !this.#boundary) throw mismatch('the log holds no header or no step');
    const { signal: _signal, sessionId: _sessionId, ...sent } = options;
    const rebuilt = composeRequest(this.#header, this.#boundary);
    const wrong = Object.keys({ ...rebuilt, ...sent }).find((key) => !sameBytes(key, rebuilt, sent));
    if (wrong !== undefined) throw mismatch(`"${wrong}" differs`);
  }

  #catchUp(): void {
    for (; this.#read < this.#session.seq; this.#read += 1) {
      const event = this.#session.eventAt(this.#read)!;
      if (event.type === 'request/header') this.#header = event.data.header;
      if (event.type === 'step/start') this.#boundary = this.#history.messages();
      this.#surface.commit(this.#surface.plan(event));
    }
  }
}

function sameBytes(key: string, rebuilt: object, sent: object): boolean {
  const [a, b] = [Reflect.get(rebuilt, key), Reflect.get(sent, key)] as [unknown, unknown];
  if (!Array.isArray(a) || !Array.isArray(b)) return sameJson(a, b);
  return a.length === b.length && a.every((item, index) => sameJson(item, b[index]));
}

/** Frozen parts that both sides share need no second look. */
function sameJson(a: unknown, b: unknown): boolean {
  return Object.is(a, b) || (a !== undefined && b !== undefined && canonicalJson(a) === canonicalJson(b));
}

function mismatch(why: string): HarnessError {
  return new HarnessError(`the log does not reproduce this request: ${why}`, 'REQUEST_NOT_REPRODUCIBLE');
}
