import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ConfigFile } from '../../../src/config/config-file.ts';
import { mergeConfig } from '../../../src/config/merge-config.ts';
import { tellProgress } from '../../../src/bot/telling/tell-progress.ts';
import { findLastMessageTurnEnd } from '../../../src/harness/session/find-last-message-turn-end.ts';
import type { SessionEvent } from '../../../src/harness/session/types.ts';
import { renderProgress } from '../../../src/publish/progress/progress.ts';
import { renderTranscript } from '../../../src/store/render-transcript.ts';
import { appendRaw, LogWriter } from '../../harness/session/session-fixture.ts';
import type { GenerateOptions } from '../../../src/harness/llm/types.ts';
import { appHost } from '../../../src/serve/app-host.ts';
import type { AppHostOptions } from '../../../src/serve/app-host.ts';
import { foldSessionTitle } from '../../../src/seams/session-title/fold-title.ts';
import { calls, fails, says, ScriptedModel } from '../../support/scripted-model.ts';
import type { ScriptedReply } from '../../support/scripted-model.ts';
import { JobBench, NAME } from '../support/job-bench.ts';

const REQUEST = 'Where is the price computed, please?';

/** Names the session first, and only then answers what was asked. */
class NamingModel extends ScriptedModel {
  named = 0;
  readonly #name: ScriptedReply;
  readonly #script: ScriptedReply[];
  readonly #done = Promise.withResolvers<void>();

  constructor(name: ScriptedReply, script: readonly ScriptedReply[]) {
    super();
    this.#name = name;
    this.#script = [...script];
  }

  override async *stream(options: GenerateOptions) {
    const isName = options.purpose === 'session-title';
    if (isName) this.named += 1;
    else await this.#done.promise;
    this.add(isName ? this.#name : this.#script.shift()!);
    try {
      yield* super.stream(options);
    } finally {
      if (isName) setImmediate(() => this.#done.resolve());
    }
  }
}

describe('session-title', () => {
  let bench: JobBench;
  beforeAll(async () => {
    bench = await JobBench.start();
  });
  afterAll(() => bench.close());

  const ask = async (name: ScriptedReply, script: readonly ScriptedReply[], config: ConfigFile = {}) => {
    const { number } = await bench.github.openIssue(NAME, { by: 'tom', title: 'The price is wrong', body: '…' });
    const model = new NamingModel(name, script);
    const subject = { kind: 'issue', number } as const;
    const call = { job: 'ask', request: REQUEST, subject, model, script: [], config } as const;
    const run = await bench.run({ ...call, config: { titles: 'model', ...config } });
    return { ...run, model, comments: bench.github.state.findRepository(NAME)!.issues.get(number)!.comments };
  };
  const hostOf = (operator: ConfigFile) =>
    mergeConfig(appHost({ operator, bot: {}, slug: 'dsh' } as unknown as AppHostOptions).operator);

  it('B4 a model names sessions in the App unless its operator says otherwise, and nowhere else by default', () => {
    expect(hostOf({}).titles).toBe('model');
    expect(hostOf({ titles: 'text' }).titles).toBe('text');
    expect(mergeConfig({}).titles).toBe('text');
  });

  it('B4 what a name costs is a part of what the turn costs', async () => {
    const usage = { inputTokens: 1_000_000, outputTokens: 0 };
    const { outcome, events, model } = await ask(says('Price computation', usage), [says('There.')]);

    expect(model.named).toBe(1);
    expect(foldSessionTitle(events)?.title).toBe('Price computation');
    expect(outcome).toMatchObject({ status: 'completed', tokens: 1_000_015 });
    expect(outcome.cost).toBeGreaterThan(0.01);
  });

  it('B4 it counts against the limits of the turn, too', async () => {
    const usage = { inputTokens: 5_000, outputTokens: 0 };
    const look = calls('read', { path: 'README.md' });
    const { outcome } = await ask(says('Price computation', usage), [look, says('There.')], {
      budget: { turn: { tokens: 4_000 } },
    });

    expect(outcome).toMatchObject({ status: 'stopped', problem: { code: 'BUDGET' } });
  });

  it('B4 a name that fails costs the session its better name, and is told nobody', async () => {
    const { outcome, events, surface, comments } = await ask(fails('OVERLOADED'), [says('There.')]);

    expect(outcome).toMatchObject({ status: 'completed', problem: undefined });
    expect(foldSessionTitle(events)?.source.kind).toBe('fallback');
    expect([...surface.lines, ...surface.drawn, surface.body].join()).not.toMatch(/OVERLOADED|title/i);
    expect(comments).toEqual([]);
  });

  it('B5 a turn that only holds a title changes nothing of what is told about the job, and tells nobody', () => {
    const log = new LogWriter().shortTurn('where?', 'there');
    const before = [...log.session.events];
    appendRaw(log.session, 'turn/start', { turn: 2, trigger: { kind: 'session-title' } });
    appendRaw(log.session, 'session/title', { title: 'Late', messageSeqs: [1], source: { kind: 'fallback' } });
    appendRaw(log.session, 'turn/end', { turn: 2, reason: { kind: 'completed' } });
    const after = log.session.events;
    const facts = {
      ...{ marker: '<!-- m -->', request: { by: 'maria', url: undefined, what: 'where?' }, startedAt: 0, now: 0 },
      ...{ model: 'm', cost: 0, describeCall: String, redact: (text: string) => text },
    };
    const changed: unknown[] = [];
    const listeners: ((session: unknown, event: SessionEvent) => void)[] = [];
    tellProgress({
      agentCtx: { on: (_name: string, listener: never) => void listeners.push(listener) },
      progress: { changed: (line: unknown) => changed.push(line) },
      view: {},
    } as never);

    for (const event of after.slice(before.length)) listeners[0]!(undefined, event);

    expect(after.length - before.length).toBe(3);
    expect(changed).toEqual([]);
    expect(renderProgress(after, facts)).toBe(renderProgress(before, facts));
    expect(findLastMessageTurnEnd(after)?.data.turn).toBe(1);
    expect(renderTranscript(after)).toBe(renderTranscript(before));
  });
});
