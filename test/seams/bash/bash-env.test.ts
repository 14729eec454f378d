import { describe, expect, it } from '@jest/globals';
import { Context } from '../../../src/harness/kernel/context.ts';
import type { ToolExecution } from '../../../src/harness/tools/types.ts';
import { BashEnvRegistry } from '../../../src/seams/bash/bash-env.ts';
import type { BashEnvContributor } from '../../../src/seams/bash/bash-env.ts';
import { ToolBench } from '../tool-bench.ts';

const execution = { agent: new ToolBench(new Context()).agent } as unknown as ToolExecution;
const contributor = (more: Partial<BashEnvContributor>): BashEnvContributor => ({
  name: 'test',
  variables: { DSH_A: { description: 'a' } },
  resolve: () => ({ DSH_A: '1' }),
  ...more,
});

describe('bash', () => {
  it('B20 names the session log only where it is a file', () => {
    const withFile = new BashEnvRegistry({ home: '/dsh', sessionFile: (id) => `/logs/${id}.jsonl` });
    const without = new BashEnvRegistry({ home: '/dsh', sessionFile: () => undefined });

    expect(withFile.collect(execution)).toMatchObject({ DSH_SESSION_JSONL: '/logs/session-1.jsonl' });
    expect(without.collect(execution)).not.toHaveProperty('DSH_SESSION_JSONL');
    expect(withFile.collect({} as ToolExecution)).toEqual({ DSH_HOME: '/dsh', DSH_SHELL: '1' });
  });

  it.each<[string, Partial<BashEnvContributor>]>([
    ['a name outside the pattern', { variables: { DSH_a: { description: 'a' } } }],
    ['a reserved name', { variables: { DSH_HOME: { description: 'a' } } }],
    ['a blank contributor', { name: ' ' }],
    ['a blank description', { variables: { DSH_A: { description: ' ' } } }],
  ])('B20 refuses %s', (_what, part) => {
    const registry = new BashEnvRegistry({ home: '/dsh' });

    expect(() => registry.register(contributor(part))).toThrow(expect.objectContaining({ code: 'BASH_ENV_INVALID' }));

    expect(registry.list()).toHaveLength(4);
  });

  it('B20 gives a name to one owner until that one leaves', () => {
    const registry = new BashEnvRegistry({ home: '/dsh' });
    const leave = registry.register(contributor({ name: 'first' }));
    expect(() => registry.register(contributor({ name: 'second' }))).toThrow(/belongs to first/);

    leave();
    registry.register(contributor({ name: 'second' }));
    leave();

    expect(registry.list()).toContainEqual({ contributor: 'second', key: 'DSH_A', description: 'a' });
  });

  it.each<[string, BashEnvContributor['resolve']]>([
    ['undeclared', () => ({ DSH_B: '1' })],
    ['not a string', () => ({ DSH_A: 1 as never })],
  ])('B20 refuses a value that is %s', (_what, resolve) => {
    const registry = new BashEnvRegistry({ home: '/dsh' });
    registry.register(contributor({ resolve }));

    expect(() => registry.collect(execution)).toThrow(expect.objectContaining({ code: 'BASH_ENV_INVALID' }));
  });
});
