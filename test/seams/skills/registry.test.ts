import { describe, expect, it } from '@jest/globals';
import { Context } from '../../../src/harness/kernel/context.ts';
import { isSkillName } from '../../../src/seams/skills/check-skill.ts';
import { skills } from '../../../src/seams/skills/skill-service.ts';
import type { SkillsConfig } from '../../../src/seams/skills/skill-service.ts';
import type {
  SkillCandidate,
  SkillDefinition,
  SkillLookupOptions,
  SkillProvider,
} from '../../../src/seams/skills/types.ts';
import { gate } from '../../harness/agent/agent-bench.ts';
import { codeOf } from '../../harness/session/session-fixture.ts';

async function world(config?: SkillsConfig) {
  const ctx = new Context();
  const warnings: (string | undefined)[] = [];
  ctx.on('kernel/error', (error) => void warnings.push((error as { code?: string }).code));
  await ctx.plugin(skills, config);
  return { ctx, skills: ctx.skills, warnings };
}

function candidate(provider: string, name: string, more: Partial<SkillCandidate> = {}): SkillCandidate {
  return { name, description: `${name} of ${provider}`, source: 'custom', provider, rank: 300, locator: name, ...more };
}

function loaded({ rank: _rank, locator: _locator, ...summary }: SkillCandidate): SkillDefinition {
  return { ...summary, content: `text of ${summary.name}` };
}

interface Counted extends SkillProvider {
  readonly asked: SkillLookupOptions[];
  readonly loads: SkillCandidate[];
}

function provider(name: string, offers: readonly SkillCandidate[], more: Partial<SkillProvider> = {}): Counted {
  const asked: SkillLookupOptions[] = [];
  const loads: SkillCandidate[] = [];
  return {
    ...{ name, asked, loads },
    list: async (options) => (asked.push(options), offers),
    get: async (wanted) => (loads.push(wanted), loaded(wanted)),
    ...more,
  };
}

const codeAsync = (promise: Promise<unknown>) =>
  promise.then(
    () => 'done',
    (error: { code?: string; message: string }) => error.code ?? error.message,
  );
const RUNTIME = { name: 'triage', description: 'how to triage', source: 'runtime', content: 'look' } as const;

describe('skills', () => {
  it('K1 registering asks nothing yet', async () => {
    const w = await world();
    const slow = provider('a', [candidate('a', 'x')]);

    w.skills.registerProvider(slow);
    expect(slow.asked).toEqual([]);
    await w.skills.list();
    expect(slow.asked).toHaveLength(1);
  });

  it('K2 a name of a provider is taken once; runtime is reserved', async () => {
    const w = await world();
    const leave = w.skills.registerProvider(provider('a', []));

    expect(codeOf(() => w.skills.registerProvider(provider('a', [])))).toBe('SKILL_PROVIDER_EXISTS');
    expect(codeOf(() => w.skills.registerProvider(provider('runtime', [])))).toBe('SKILL_PROVIDER_EXISTS');
    await leave();
    expect(codeOf(() => w.skills.registerProvider(provider('a', [])))).toBeUndefined();
  });

  it('K3 the earlier of two runtime skills stays, and the later leaves nothing to undo', async () => {
    const w = await world();
    const leave = w.skills.register(RUNTIME);
    const leaveLater = w.skills.register({ ...RUNTIME, content: 'other' });

    await leaveLater();
    expect(await w.skills.get('triage')).toEqual({ ...RUNTIME, provider: 'runtime' });
    expect(w.warnings).toEqual(['SKILL_EXISTS']);
    await leave();
    expect(await w.skills.get('triage')).toBeUndefined();
    expect(codeOf(() => w.skills.register({ ...RUNTIME, name: 'No Name' }))).toBe('SKILL_INVALID');
    expect(codeOf(() => w.skills.register({ ...RUNTIME, description: ' ' }))).toBe('SKILL_INVALID');
  });

  it('K3 K4 the lowest rank wins; a project hides a runtime skill of rank 250, which hides a custom one', async () => {
    const w = await world();
    w.skills.register(RUNTIME);
    w.skills.register({ ...RUNTIME, name: 'release' });
    w.skills.registerProvider(
      provider('a', [candidate('a', 'triage', { rank: 249 }), candidate('a', 'release', { rank: 251 })]),
    );

    const listed = await w.skills.list();

    expect(listed.map(({ name, provider: of }) => [name, of])).toEqual([
      ['release', 'runtime'],
      ['triage', 'a'],
    ]);
    expect(w.warnings).toEqual(['SKILL_SHADOWED', 'SKILL_SHADOWED']);
  });

  it('K4 among equal ranks the earlier registration wins, and within a provider its own order', async () => {
    const w = await world();
    const first = [candidate('b', 'x', { description: 'first' }), candidate('b', 'x', { description: 'second' })];
    w.skills.register({ ...RUNTIME, name: 'y' });
    w.skills.registerProvider(provider('b', first));
    w.skills.registerProvider(provider('a', [candidate('a', 'x'), candidate('a', 'y', { rank: 250 })]));

    const listed = await w.skills.list();

    expect(listed.map(({ description }) => description)).toEqual(['first', RUNTIME.description]);
  });

  it('K5 the list leaves out what is not for the model, and is sorted the same everywhere', async () => {
    const w = await world();
    const names = ['z', 'a-b', 'a1', 'a', 'b'];
    const hidden = candidate('a', 'hidden', { disableModelInvocation: true });
    w.skills.registerProvider(provider('a', [...names.map((name) => candidate('a', name)), hidden]));

    expect((await w.skills.list()).map(({ name }) => name)).toEqual(['a', 'a-b', 'a1', 'b', 'z']);
    expect(await w.skills.get('hidden')).toMatchObject({ content: 'text of hidden' });
    expect(Object.keys((await w.skills.list())[0]!).sort()).toEqual(['description', 'name', 'provider', 'source']);
  });

  it('K6 a name that cannot be one asks nobody', async () => {
    const w = await world();
    const asked = provider('a', []);
    w.skills.registerProvider(asked);

    for (const name of ['', 'A', '-a', 'a--b', 'a_b', '../a']) {
      expect(isSkillName(name)).toBe(false);
      expect(await w.skills.get(name)).toBeUndefined();
    }
    expect(asked.asked).toEqual([]);
  });

  it('K7 a provider that fails is passed over this once, and what is left is not remembered', async () => {
    const w = await world();
    let broken = true;
    const flaky = { list: async () => (broken ? Promise.reject(new Error('down')) : [candidate('a', 'x')]) };
    w.skills.registerProvider(provider('a', [], flaky));
    w.skills.registerProvider(provider('b', [candidate('b', 'y')]));

    expect((await w.skills.list()).map(({ name }) => name)).toEqual(['y']);
    expect(w.warnings).toEqual(['SKILL_PROVIDER_FAILED']);
    broken = false;
    expect((await w.skills.list()).map(({ name }) => name)).toEqual(['x', 'y']);
  });

  it.each<[string, unknown]>([
    ['no array', {}],
    ['no object', ['x']],
    ['an invalid name', [candidate('a', 'X')]],
    ['an empty description', [candidate('a', 'x', { description: '  ' })]],
    ['a wrong field', [{ ...candidate('a', 'x'), whenToUse: 1 }]],
    ['a wrong policy', [{ ...candidate('a', 'x'), disableModelInvocation: 'yes' }]],
    ['a rank that is no number', [candidate('a', 'x', { rank: NaN })]],
    ['the name of another provider', [candidate('b', 'x')]],
    ['metadata that is no mapping', [{ ...candidate('a', 'x'), metadata: null }]],
  ])('K7 a list that breaks the contract throws: %s', async (_, listed) => {
    const w = await world();
    w.skills.registerProvider(provider('a', listed as SkillCandidate[]));

    expect(await codeAsync(w.skills.list())).toBe('SKILL_INVALID');
  });

  it('K8 what was loaded is checked as well', async () => {
    const w = await world();
    const answers: unknown[] = [
      { ...loaded(candidate('a', 'y')) },
      { ...loaded(candidate('a', 'x')), content: 1 },
      { ...loaded(candidate('b', 'x')) },
    ];
    const offers = [candidate('a', 'x')];
    w.skills.registerProvider(provider('a', offers, { get: async () => answers.shift() as SkillDefinition }));

    for (let i = 0; i < 3; i += 1) expect(await codeAsync(w.skills.get('x'))).toBe('SKILL_INVALID');
    expect(await w.skills.get('x')).toBeUndefined();
  });

  it('K9 a catalogue is remembered by place and workspace until a registration changes, the oldest goes first', async () => {
    const w = await world({ collectCacheMaxEntries: 2 });
    const asked = provider('a', [candidate('a', 'x')]);
    w.skills.registerProvider(asked);
    const look = async (cwd: string, workspace?: string) => {
      await w.skills.list({ cwd, ...(workspace !== undefined && { workspace }) });
      return asked.asked.length;
    };

    expect(await look('/w', 'repository-a')).toBe(1);
    expect(await look('/w', 'repository-a')).toBe(1);
    expect(await look('/w', 'repository-b')).toBe(2);
    expect(await look('/v')).toBe(3);
    expect(await look('/w', 'repository-b')).toBe(3);
    expect(await look('/w', 'repository-a')).toBe(4);
    const leave = w.skills.register(RUNTIME);
    expect(await look('/w', 'repository-a')).toBe(5);
    await leave();
    expect(await look('/w', 'repository-a')).toBe(6);
    await expect(world({ collectCacheMaxEntries: 0 })).rejects.toMatchObject({ code: 'SKILL_CONFIG' });
  });

  it('K9 a catalogue during which a registration changed is collected again, a few times and no more', async () => {
    const w = await world();
    let times = 0;
    const restless = provider('a', [], {
      list: async () => {
        times += 1;
        w.skills.register({ ...RUNTIME, name: `late-${times}` });
        return [];
      },
    });
    w.skills.registerProvider(restless);

    const listed = await w.skills.list();

    expect(times).toBe(3);
    expect(listed.map(({ name }) => name)).toEqual(['late-1', 'late-2']);
    await w.skills.list();
    expect(times).toBeGreaterThan(3);
  });

  it('K10 a cancel is noticed before, after and during, also on a hit, and whoever ignores it is left waiting', async () => {
    const w = await world();
    const opened = gate();
    w.skills.registerProvider(
      provider('a', [candidate('a', 'x')], {
        list: async () => (await opened.promise, [candidate('a', 'x')]),
        get: () => new Promise<never>(() => {}),
      }),
    );
    const listing = new AbortController();
    const waiting = codeAsync(w.skills.list({ signal: listing.signal }));
    listing.abort(new Error('enough'));
    expect(await waiting).toBe('enough');

    opened.resolve();
    await w.skills.list();
    expect(await codeAsync(w.skills.list({ signal: AbortSignal.abort(new Error('too late')) }))).toBe('too late');
    const loading = new AbortController();
    const stuck = codeAsync(w.skills.get('x', { signal: loading.signal }));
    loading.abort({
      toJSON: () => {
        throw new Error('no text');
      },
    });
    expect(await stuck).toBe('ABORTED');
  });

  it('K11 the winner loads from the very object that it offered', async () => {
    const w = await world();
    const offer = Object.freeze(candidate('a', 'x', { locator: { private: true } }));
    const winner = provider('a', [offer]);
    w.skills.registerProvider(winner);

    await w.skills.get('x');

    expect(winner.loads[0]).toBe(offer);
  });

  it('K12 a change of files shows only after the catalogue is collected anew', async () => {
    const w = await world();
    const offers = [candidate('a', 'x')];
    w.skills.registerProvider(provider('a', offers, { list: async () => [...offers] }));
    await w.skills.list();

    offers.push(candidate('a', 'y'));

    expect(await w.skills.list()).toHaveLength(1);
    expect(await w.skills.list({ workspace: 'another commit' })).toHaveLength(2);
  });
});
