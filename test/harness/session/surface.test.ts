import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { foldSurface } from '../../../src/harness/session/fold-surface.ts';
import { isSurfaceEligibleType, isSurfaceEvent } from '../../../src/harness/session/surface-event.ts';
import type { Session } from '../../../src/harness/session/session.ts';
import { appendRaw, codeOf, LogWriter, loneSession, ROUTE, text, USER } from './session-fixture.ts';

const REFUSED = 'INVALID_SURFACE';
const note = { content: text('note'), source: USER };

/** A session in an open turn whose surface is the five contexts 1 to 5. */
function fiveContexts(): Session {
  const log = new LogWriter().startTurn();
  for (let i = 0; i < 5; i++) log.context(`c${i}`);
  return log.session;
}

function replace(session: Session, start: number, end: number, sourceEventSeqs: number[]) {
  return () =>
    appendRaw(session, 'context/message', note, { surfaceOp: { op: 'replace', start, end }, sourceEventSeqs });
}

describe('session', () => {
  it('S16 a surface event must say where it stands, and no other may', () => {
    const { session } = new LogWriter().startTurn();

    expect(codeOf(() => appendRaw(session, 'context/message', note))).toBe(REFUSED);
    expect(codeOf(() => appendRaw(session, 'todo/write', { todos: [] }, { surfaceOp: 'append' }))).toBe(REFUSED);
    expect(codeOf(() => appendRaw(session, 'todo/write', { todos: [] }, { sourceEventSeqs: [0] }))).toBe(REFUSED);
    expect(codeOf(() => appendRaw(session, 'context/message', note, { surfaceOp: 'append', more: 1 }))).toBe(REFUSED);
  });

  it.each([
    ['an unknown word', 'prepend'],
    ['null', null],
    ['another op', { op: 'insert', start: 1, end: 1 }],
    ['an extra key', { op: 'replace', start: 1, end: 1, why: 'x' }],
    ['a missing end', { op: 'replace', start: 1 }],
    ['a fractional end', { op: 'replace', start: 1, end: 1.5 }],
  ])('S16 refuses a surfaceOp that is %s', (_name, surfaceOp) => {
    const session = fiveContexts();

    expect(codeOf(() => appendRaw(session, 'context/message', note, { surfaceOp, sourceEventSeqs: [1] }))).toBe(
      REFUSED,
    );
  });

  it.each([
    ['repeated', [1, 1]],
    ['negative', [-1]],
    ['fractional', [0.5]],
    ['of the future', [6]],
    ['no numbers', ['1']],
    ['no array', { 0: 1 }],
    ['empty on a message of the user', []],
  ])('S17 refuses sources that are %s', (_name, sourceEventSeqs) => {
    const session = fiveContexts();

    expect(codeOf(() => appendRaw(session, 'context/message', note, { surfaceOp: 'append', sourceEventSeqs }))).toBe(
      REFUSED,
    );
  });

  it('S17 an assistant message may know that it has no sources', () => {
    const { session } = new LogWriter().startTurn().startStep();
    const data = { turn: 1, step: 1, content: [], provenance: ROUTE };

    const event = session.append('assistant/message', data, { surfaceOp: 'append', sourceEventSeqs: [] });

    expect(event.sourceEventSeqs).toEqual([]);
  });

  it('S18 a replacement takes the position of what it shadows and counts up the generation', () => {
    const session = fiveContexts();

    const event = replace(session, 2, 4, [2, 3, 4])();

    expect(session.surface).toEqual({ nodes: [1, event.seq, 5], replaceGeneration: 1 });
    const again = replace(session, event.seq, 5, [event.seq, 5])();
    expect(session.surface).toEqual({ nodes: [1, again.seq], replaceGeneration: 2 });
  });

  it('S18 both ends must stand on the surface in order, and every shadowed node must be a source', () => {
    const session = fiveContexts();
    const six = replace(session, 2, 3, [2, 3])().seq;

    expect(codeOf(replace(session, 2, 4, [2, 3, 4]))).toBe(REFUSED);
    expect(codeOf(replace(session, 4, six, [4, six]))).toBe(REFUSED);
    expect(codeOf(replace(session, six, 4, [4]))).toBe(REFUSED);
    expect(codeOf(replace(session, 0, 0, [0]))).toBe(REFUSED);
    expect(session.surface).toEqual({ nodes: [1, six, 4, 5], replaceGeneration: 1 });
    expect(replace(session, six, 4, [1, six, 4])().seq).toBe(7);
  });

  it('S19 a tool result may be rewritten alone and in its content only', () => {
    const log = new LogWriter().turnWithCalls('c1', 'c2').startCall('c1').endCall('c1').startCall('c2').endCall('c2');
    const { session } = log;
    const [first, second] = session.events.filter((event) => event.type === 'tool/result');
    const rewrite = (change: object, start = first!.seq, end = first!.seq) =>
      codeOf(() =>
        appendRaw(
          session,
          'tool/result',
          { ...first!.data, ...change },
          { surfaceOp: { op: 'replace', start, end }, sourceEventSeqs: [first!.seq, second!.seq] },
        ),
      );

    expect(rewrite({ isError: true })).toBe(REFUSED);
    expect(rewrite({ meta: { more: 1 } })).toBe(REFUSED);
    expect(rewrite({ content: text('short') }, first!.seq, second!.seq)).toBe(REFUSED);
    expect(rewrite({ content: text('short') }, second!.seq, second!.seq)).toBe(REFUSED);
    const [prompt] = session.surface.nodes;
    expect(rewrite({ content: text('short') }, prompt, prompt)).toBe(REFUSED);
    expect(rewrite({ content: text('short') })).toBeUndefined();
  });

  it('S20 live surface, seeded surface and offline fold agree after any series of replacements', () => {
    const move = fc.record({ append: fc.boolean(), from: fc.nat(30), length: fc.nat(4) });
    fc.assert(
      fc.property(fc.array(move, { maxLength: 30 }), (moves) => {
        const log = new LogWriter().startTurn().context('first');
        for (const { append, from, length } of moves) {
          const { nodes } = log.session.surface;
          const start = from % nodes.length;
          const shadowed = nodes.slice(start, start + 1 + length);
          if (append) log.context('more');
          else replace(log.session, shadowed[0]!, shadowed.at(-1)!, shadowed)();
        }
        const { events, surface } = log.session;
        const folded = foldSurface(events);

        expect(folded.nodes).toEqual(surface.nodes);
        expect(folded.replacements).toHaveLength(surface.replaceGeneration);
        expect(loneSession(events).surface).toEqual(surface);
      }),
      { numRuns: 50 },
    );
  });

  it('S20 the offline fold tells what each replacement shadowed and refuses what append refuses', () => {
    const session = fiveContexts();
    replace(session, 2, 4, [2, 3, 4])();

    expect(foldSurface(session.events).replacements).toEqual([{ seq: 6, start: 2, end: 4, shadowedSeqs: [2, 3, 4] }]);
    const { surfaceOp: _op, ...bare } = session.events[1] as unknown as { surfaceOp: unknown };
    expect(codeOf(() => foldSurface(session.events.with(1, bare as never)))).toBe(REFUSED);
  });

  it('S16 the five surface types are known by name, and surface events by their mark', () => {
    const { session } = new LogWriter().startTurn().prompt('hi');

    expect(isSurfaceEligibleType('tool/result')).toBe(true);
    expect(isSurfaceEligibleType('tool/call')).toBe(false);
    expect(session.events.map(isSurfaceEvent)).toEqual([false, true]);
  });
});
