import { describe, expect, it } from '@jest/globals';
import { compileCacheOf } from '../../src/cli/compile-cache.ts';

describe('bot-hosts', () => {
  it('compiled code is kept where only this user writes, or nowhere', () => {
    expect(compileCacheOf({ HOME: '/home/maria' })).toBe('/home/maria/.cache/dsh/compiled');
    expect(compileCacheOf({ HOME: '/home/maria', XDG_CACHE_HOME: '/var/cache/maria' })).toBe(
      '/var/cache/maria/dsh/compiled',
    );
    expect(compileCacheOf({ HOME: '/home/maria', XDG_CACHE_HOME: 'here' })).toBe('/home/maria/.cache/dsh/compiled');
    expect(compileCacheOf({ HOME: '' })).toBeUndefined();
    expect(compileCacheOf({})).toBeUndefined();
  });
});
