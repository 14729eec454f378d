import { describe, expect, it } from '@jest/globals';
import { composeRequest } from '../../../src/harness/session/compose-request.ts';
import { rebuildRequest, rebuildRequests } from '../../../src/harness/session/rebuild-request.ts';
import { requestDigest, RequestDigester } from '../../../src/harness/session/request-digest.ts';
import { canonicalHeader, foldRequestHeader, headerEquals } from '../../../src/harness/session/request-header.ts';
import { SessionId } from '../../../src/harness/session/types.ts';
import type { EpochHeader } from '../../../src/harness/session/types.ts';
import { appendRaw, codeOf, LogWriter, loneSession, ROUTE, text } from './session-fixture.ts';

const TOOL = { name: 'bash', description: 'runs', parameters: { type: 'object' } };
const HEADER: EpochHeader = {
  config: { ...ROUTE, temperature: 0.5, stop: ['END'] },
  system: 'be kind',
  tools: [TOOL, { ...TOOL, name: 'read' }],
  messagePrefix: [{ role: 'user', content: text('project notes') }],
};

function header(log: LogWriter, value: EpochHeader = HEADER, reason: 'initial' | 'change' = 'initial'): LogWriter {
  log.session.append('request/header', { header: value, reason });
  return log;
}

/** Two steps; a context arrives while the second request is under way. */
function twoSteps(): LogWriter {
  const log = header(new LogWriter().startTurn().prompt('work').startStep())
    .chunk('a')
    .answer(...text('one'))
    .endStep();
  header(log.startStep(), { config: ROUTE }, 'change')
    .context('late')
    .chunk('b')
    .answer(...text('two'));
  return log.endStep().endTurn();
}

describe('session', () => {
  it('S25 what is empty is absent from a canonical header, which is detached and frozen', () => {
    const tools = [TOOL];
    const canonical = canonicalHeader({
      config: { ...ROUTE, maxTokens: undefined },
      system: '',
      tools: [],
      messagePrefix: [],
    });

    expect(canonical).toEqual({ config: ROUTE });
    expect(Object.keys(canonical.config)).toEqual(['provider', 'model']);
    expect(Object.isFrozen(canonicalHeader({ config: ROUTE, tools }).tools?.[0]?.parameters)).toBe(true);
    expect(Object.isFrozen(tools[0])).toBe(false);
  });

  it.each<[string, Partial<EpochHeader>]>([
    ['the provider', { config: { ...HEADER.config, provider: 'other' } }],
    ['the model', { config: { ...HEADER.config, model: 'other' } }],
    ['the temperature', { config: { ...HEADER.config, temperature: 0 } }],
    ['the token limit', { config: { ...HEADER.config, maxTokens: 1 } }],
    ['the stop words', { config: { ...HEADER.config, stop: [] } }],
    ['the system text', { system: 'be brief' }],
    ['the order of tools', { tools: HEADER.tools!.toReversed() }],
    ['the prefix', { messagePrefix: [] }],
  ])('S25 headers that differ in %s are not equal', (_name, change) => {
    expect(headerEquals(HEADER, { ...HEADER, ...change })).toBe(false);
    expect(headerEquals(HEADER, structuredClone(HEADER))).toBe(true);
  });

  it('S26 the last header wins, and the old vocabulary is refused on append and in a seed', () => {
    const log = twoSteps();
    const open = header(new LogWriter().startTurn().startStep());

    expect(foldRequestHeader(log.session.events)).toEqual({ config: ROUTE });
    expect(foldRequestHeader([], HEADER)).toBe(HEADER);
    expect(log.session.requestHeader()).toEqual({ config: ROUTE });
    expect(codeOf(() => appendRaw(open.session, 'request/header-delta', {}))).toBe('INVALID_EVENT');
    open.endStep().startStep();
    expect(codeOf(() => appendRaw(open.session, 'request/header', { header: HEADER, reason: 'fallback' }))).toBe(
      'INVALID_EVENT',
    );
    const delta = { type: 'request/header-delta', seq: 1, time: 0, data: {} } as never;
    expect(codeOf(() => loneSession([log.session.events[0]!, delta]))).toBe('INVALID_EVENT');
  });

  it('S24 a request is the header, its prefix, and the history just before its step', () => {
    const { session } = twoSteps();

    expect(rebuildRequest(session.events, 1, 1)).toEqual({
      ...HEADER.config,
      system: 'be kind',
      tools: HEADER.tools,
      messages: [...HEADER.messagePrefix!, { role: 'user', content: text('work') }],
    });
    expect(rebuildRequest(session.events, 1, 2)).toEqual({
      ...ROUTE,
      messages: [
        { role: 'user', content: text('work') },
        { role: 'assistant', content: text('one'), provenance: ROUTE },
      ],
    });
    expect(rebuildRequest(session.events, 1, 3)).toBeUndefined();
  });

  it('S24 all requests of a log come out of one pass, also the one that was cut off', () => {
    const log = twoSteps().startTurn().prompt('more').startStep().chunk();

    const rebuilt = [...rebuildRequests(log.session.events)];

    expect(rebuilt.map(({ turn, step }) => [turn, step])).toEqual([
      [1, 1],
      [1, 2],
      [2, 1],
    ]);
    for (const { turn, step, request } of rebuilt)
      expect(rebuildRequest(log.session.events, turn, step)).toEqual(request);
    expect(rebuilt[2]?.request.messages.map(({ content }) => content)).toContainEqual(text('late'));
  });

  it('S29 the digest logged before dispatch is that of the rebuilt request, on a fork and after a reload too', () => {
    const log = new LogWriter().startTurn().prompt('work');
    const sent = composeRequest(HEADER, log.session.deriveMessages());
    header(log.startStep());
    const sha256 = requestDigest({ ...sent, sessionId: SessionId('lone'), signal: new AbortController().signal });
    log.session.append('request/digest', { turn: 1, step: 1, sha256 });
    const reloaded = loneSession(JSON.parse(JSON.stringify(log.session.events)) as never, 'child');

    const [found] = rebuildRequests(reloaded.events);

    expect(found?.sha256).toBe(sha256);
    expect(requestDigest(found!.request)).toBe(sha256);
  });

  it('S29 a composed request is frozen through and through', () => {
    const request = composeRequest(structuredClone(HEADER), [{ role: 'user', content: text('hi') }]);

    expect(
      [request, request.messages, request.messages[1]?.content[0], request.tools?.[0]?.parameters].every(
        Object.isFrozen,
      ),
    ).toBe(true);
  });

  it('S29 a growing conversation digests as each of its requests would alone', () => {
    const log = new LogWriter();
    const digester = new RequestDigester();
    for (let turn = 0; turn < 4; turn++) {
      log.shortTurn(`q${turn}`, `a${turn}`);
      const request = composeRequest(turn === 2 ? { config: ROUTE } : HEADER, log.session.deriveMessages());
      expect(digester.digest(request)).toBe(requestDigest(request));
    }
    const shorter = composeRequest(HEADER, log.session.deriveMessages().slice(2));
    expect(digester.digest(shorter)).toBe(requestDigest(shorter));
    expect(requestDigest(shorter)).not.toBe(requestDigest({ ...shorter, model: 'other' }));
  });
});
