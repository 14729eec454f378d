import { describe, expect, it } from '@jest/globals';
import { openSealed, sealState } from '../../../src/action/state/seal.ts';
import { SessionId } from '../../../src/harness/session/types.ts';

const owner = { apiKey: 'sk-model-key', repository: 42 };
const head = { session: SessionId('gh-42-7-1'), counter: 3, run: '900' };
const content = Buffer.from('what the session holds\n'.repeat(20));

describe('bot-hosts', () => {
  it('H9 what was sealed opens with the same key for the same repository, and shows nothing before that', () => {
    const sealed = sealState(content, head, owner);

    expect(openSealed(sealed, owner)).toEqual({ ...head, content });
    expect(sealed.toString('latin1')).not.toMatch(/session holds|sk-model-key/);
    expect(sealState(content, head, owner).equals(sealed)).toBe(false);
    expect(openSealed(sealState(Buffer.alloc(0), head, owner), owner)?.content).toHaveLength(0);
  });

  it.each([
    ['another key', { ...owner, apiKey: 'sk-model-kez' }],
    ['another repository', { ...owner, repository: 43 }],
    ['no key', { ...owner, apiKey: '' }],
  ])('H9 it does not open with %s', (_what, other) => {
    expect(openSealed(sealState(content, head, owner), other)).toBeUndefined();
  });

  it('H9 a byte that was changed anywhere, head or tag, keeps it shut', () => {
    const sealed = sealState(content, head, owner);

    for (let at = 0; at < sealed.length; at++) {
      const changed = Buffer.from(sealed);
      changed[at]! ^= 1;
      expect({ at, opened: openSealed(changed, owner) }).toEqual({ at, opened: undefined });
    }
  });

  it('H9 a part of it, more than it, or another head before it opens no more', () => {
    const sealed = sealState(content, head, owner);
    const text = sealed.toString('latin1');
    const replaced = (from: string, to: string) => Buffer.from(text.replace(from, to), 'latin1');

    for (let length = 0; length < sealed.length; length += 7)
      expect(openSealed(sealed.subarray(0, length), owner)).toBeUndefined();
    expect(openSealed(Buffer.concat([sealed, Buffer.from('x')]), owner)).toBeUndefined();
    expect(openSealed(replaced(' gh-42-7-1 ', ' gh-42-8-1 '), owner)).toBeUndefined();
    expect(openSealed(replaced(' gh-42-7-1 3 ', ' gh-42-7-1 9 '), owner)).toBeUndefined();
    expect(openSealed(replaced(' 3 900 ', ' 3 901 '), owner)).toBeUndefined();
    expect(openSealed(replaced('state 1 ', 'state 2 '), owner)).toBeUndefined();
    for (const junk of ['', '\n', 'dsh-session-state 1\n', '\n'.repeat(600)])
      expect(openSealed(Buffer.from(junk), owner)).toBeUndefined();
  });
});
