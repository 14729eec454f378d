import { describe, expect, it } from '@jest/globals';
import { AnonymousEntries } from '../../../src/harness/scope/anonymous-entries.ts';
import { duplicateNameError } from '../../../src/harness/scope/duplicate-name-error.ts';
import { NamedEntries } from '../../../src/harness/scope/named-entries.ts';

function table(): NamedEntries<number> {
  return new NamedEntries((name) => new Error(`duplicate ${name}`));
}

describe('scope', () => {
  it('S13 an undo may be called again and never removes a later entry of the same name', () => {
    const entries = table();
    const undoFirst = entries.insert('x', 1);
    undoFirst();
    entries.insert('x', 2);

    undoFirst();

    expect(entries.get('x')).toBe(2);
  });

  it('S13 equal anonymous values are separate entries', () => {
    const entries = new AnonymousEntries<string>();
    const undo = entries.append('same');
    entries.append('same');

    undo();
    undo();

    expect([...entries.values()]).toEqual(['same']);
  });

  it('S15 an entry added while iterating is visited', () => {
    const entries = table();
    entries.insert('a', 1);
    const seen: string[] = [];

    for (const [name] of entries.entries()) {
      seen.push(name);
      if (name === 'a') entries.insert('b', 2);
    }

    expect(seen).toEqual(['a', 'b']);
  });

  it.each(['entries', 'values', 'keys'] as const)(
    'S15 an entry that re-registers itself is not visited for ever (%s)',
    (read) => {
      const entries = table();
      let undo = entries.insert('a', 0);
      let visits = 0;

      for (const _visited of entries[read]()) {
        visits += 1;
        undo();
        undo = entries.insert('a', visits);
        if (visits > 3) break;
      }

      expect(visits).toBe(1);
      expect([...entries.values()]).toEqual([1]);
    },
  );

  it('S15 the same holds for anonymous entries', () => {
    const entries = new AnonymousEntries<number>();
    let undo = entries.append(0);
    let visits = 0;

    for (const _visited of entries.values()) {
      visits += 1;
      undo();
      undo = entries.append(visits);
      if (visits > 3) break;
    }

    expect(visits).toBe(1);
  });

  it('S16 a duplicate throws the error of the table and changes nothing', () => {
    const entries = table();
    entries.insert('x', 1);

    expect(() => entries.insert('x', 2)).toThrow('duplicate x');

    expect([...entries.entries()]).toEqual([['x', 1]]);
    expect([entries.has('x'), entries.has('constructor'), entries.isEmpty()]).toEqual([true, false, false]);
  });

  it('S16 the message for a global duplicate points at agent.ctx, that for a scoped one does not', () => {
    expect(duplicateNameError('tool', undefined)('x')).toMatchObject({
      code: 'DUPLICATE_NAME',
      message: expect.stringContaining('agent.ctx') as unknown,
    });
    expect(duplicateNameError('tool', {})('x').message).not.toContain('agent.ctx');
  });
});
