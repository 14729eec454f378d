import type { Fiber } from '../../../src/harness/kernel/context.ts';
import type { Agent, SendOptions } from '../../../src/harness/agent/types.ts';
import type { Session } from '../../../src/harness/session/session.ts';
import type { SessionTitleService } from '../../../src/seams/session-title/session-title-service.ts';
import { sessionTitle } from '../../../src/seams/session-title/session-title-service.ts';
import { SessionTitleProviderId } from '../../../src/seams/session-title/types.ts';
import type {
  SessionTitleConfig,
  SessionTitleProvider,
  SessionTitleProviderRequest,
  SessionTitleProviderResult,
} from '../../../src/seams/session-title/types.ts';
import { bench, eventsOf, settle, text } from '../../harness/agent/agent-bench.ts';
import type { Bench } from '../../harness/agent/agent-bench.ts';
import type { ScriptedReply } from '../../support/scripted-model.ts';

export const CONFIG = { fallbackMaxWords: 4, fallbackMaxBytes: 40, maxTitleBytes: 60 };

export interface TitleBench extends Bench {
  readonly titles: SessionTitleService;
  /** The plugin that provides them, to be unloaded alone. */
  readonly service: Fiber;
  readonly agent: Agent;
  readonly session: Session;
  /** One turn, and everything in the background after it. */
  say(prompt: string, options?: SendOptions): Promise<void>;
  /** Every title in the log, oldest first. */
  written(): string[];
}

export async function titleBench(
  script: readonly ScriptedReply[] = [],
  config: Partial<SessionTitleConfig> = {},
): Promise<TitleBench> {
  const b = await bench(script);
  const service = b.ctx.plugin(sessionTitle, { ...CONFIG, ...config });
  await service;
  const { agent } = await b.create();
  const { session } = agent;
  return {
    ...b,
    titles: b.ctx.sessionTitle,
    service,
    agent,
    session,
    say: async (prompt, options = {}) => {
      agent.send(text(prompt), options);
      await agent.whenIdle();
      for (let i = 0; i < 5; i++) await settle();
    },
    written: () => titlesOf(session),
  };
}

export function titlesOf(session: Session): string[] {
  return eventsOf(session, 'session/title').map(({ data }) => data.title);
}

type Generate = (request: SessionTitleProviderRequest) => Promise<Partial<SessionTitleProviderResult>> | unknown;

/** A provider that keeps what it was asked; by default it names the messages. */
export function titleProvider(
  automatic: SessionTitleProvider['automatic'] = 'first-message',
  generate: Generate = ({ messages }) => ({ title: `About ${messages.map(({ text: said }) => said).join('+')}` }),
): SessionTitleProvider & { readonly asked: SessionTitleProviderRequest[] } {
  const asked: SessionTitleProviderRequest[] = [];
  return {
    id: SessionTitleProviderId('test-titles'),
    automatic,
    asked,
    generate: async (request) => {
      asked.push(request);
      const given = (await generate(request)) as Partial<SessionTitleProviderResult>;
      return { messageSeqs: request.messages.map(({ seq }) => seq), ...given } as SessionTitleProviderResult;
    },
  };
}

export async function codeOf(work: Promise<unknown> | (() => unknown)): Promise<unknown> {
  try {
    await (typeof work === 'function' ? work() : work);
    return 'none';
  } catch (error) {
    return (error as { code?: unknown }).code ?? error;
  }
}
