import type { Context, Plugin } from '../../harness/kernel/context.ts';
import { HarnessError } from '../../harness/llm/errors.ts';
import type { Message } from '../../harness/llm/types.ts';
import type { Session } from '../../harness/session/session.ts';
import type { EpochHeader } from '../../harness/session/types.ts';
import { estimateMessage } from './estimate.ts';
import { MeterFold } from './meter-fold.ts';
import type { TokenMeasurement, TokenMeter, TokenMeterConfig } from './types.ts';

/** Service `ctx.tokenMeter`. Reads logs; appends nothing and calls no model. */
export class SessionTokenMeter implements TokenMeter {
  readonly #folds = new WeakMap<Session, MeterFold>();

  /** @throws HarnessError `TOKEN_METER_CONFIG` for any key: a limit set here would be believed and do nothing */
  constructor(config: TokenMeterConfig = {}) {
    const [key] = Object.keys(config);
    if (key !== undefined)
      throw new HarnessError(`the token meter has no settings, so not "${key}"`, 'TOKEN_METER_CONFIG');
  }

  measure(session: Session, requestHeader?: EpochHeader): TokenMeasurement {
    const fold = this.#folds.get(session) ?? new MeterFold(session);
    this.#folds.set(session, fold);
    fold.advance();
    return fold.measure(requestHeader);
  }

  estimateMessage(message: Message): number {
    return estimateMessage(message);
  }

  /** Keeps up with a session that was measured before; for others there is nothing to do yet. */
  follow(session: Session): void {
    this.#folds.get(session)?.advance();
  }
}

/** Provides `ctx.tokenMeter`. */
export const tokenMeter: Plugin<TokenMeterConfig | undefined> = {
  name: 'token-meter',
  apply(ctx: Context, config) {
    const meter = new SessionTokenMeter(config);
    ctx.on('session/event', (session) => meter.follow(session));
    ctx.provide('tokenMeter', meter);
  },
};
