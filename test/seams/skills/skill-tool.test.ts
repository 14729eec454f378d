import { describe, expect, it } from '@jest/globals';
import type { TextBlock } from '../../../src/harness/llm/types.ts';
import { skillTool } from '../../../src/seams/skills/skill-tool.ts';
import type { SkillToolConfig } from '../../../src/seams/skills/skill-tool.ts';
import { skills } from '../../../src/seams/skills/skill-service.ts';
import { skillText } from '../../../src/seams/skills/skill-texts.ts';
import type { SkillDefinition, SkillProvider, SkillRegistration } from '../../../src/seams/skills/types.ts';
import { bench, eventsOf, text, tool } from '../../harness/agent/agent-bench.ts';
import { codeOf } from '../../harness/session/session-fixture.ts';
import { calls, says } from '../../support/scripted-model.ts';
import type { ScriptedReply } from '../../support/scripted-model.ts';

const TRIAGE: SkillRegistration = {
  ...{ name: 'triage', description: 'How to triage\n  an <issue> & more', source: 'runtime', content: 'Look twice.' },
  ...{ whenToUse: 'whenever', path: '/secret/path' },
};

async function world(script: readonly ScriptedReply[] = [says('ok')], config: SkillToolConfig = {}) {
  const b = await bench(script);
  await b.ctx.plugin(skills, undefined);
  await b.ctx.plugin(skillTool, config);
  const run = async () => {
    const { agent } = await b.create({ meta: { cwd: '/workspace' } });
    agent.send(text('go'));
    await agent.whenIdle();
    const request = b.model.requests.at(-1)!;
    const [result] = eventsOf(agent.session, 'tool/result').map(({ data }) => data);
    return { agent, request, first: JSON.stringify(request.messages[0]), result };
  };
  return { ...b, run };
}

describe('skills', () => {
  it('K19 K20 the catalogue is one user message with names and descriptions and nothing else', async () => {
    const w = await world();
    w.ctx.skills.register(TRIAGE);

    const { request } = await w.run();

    expect(request.messages).toHaveLength(2);
    expect(request.messages[0]!.role).toBe('user');
    const block = request.messages[0]!.content[0] as TextBlock;
    expect(block.text).toMatch(/^<system-reminder>[^]*with the skill tool before you act[^]*<\/system-reminder>$/);
    expect(block.text).toContain(
      '<available_skills>\n- triage: How to triage an &lt;issue&gt; &amp; more\n</available_skills>',
    );
    expect(block.text).not.toMatch(/Look twice|secret|whenever|runtime/);
  });

  it('K19 without a skill there is no message', async () => {
    const { request } = await (await world()).run();

    expect(request.messages).toHaveLength(1);
  });

  it('K20 a description is cut before it is escaped', async () => {
    const w = await world([says('ok')], { catalogDescriptionMaxLength: 10 });
    w.ctx.skills.register({ ...TRIAGE, description: '123456<89012' });
    w.ctx.skills.register({ ...TRIAGE, name: 'short', description: '1234567890' });

    const { first } = await w.run();

    expect(first).toContain('- triage: 123456&lt;...');
    expect(first).toContain('- short: 1234567890\\n');
    await expect(world([], { catalogDescriptionMaxLength: 2 })).rejects.toMatchObject({ code: 'SKILL_CONFIG' });
  });

  it('K21 an agent that cannot call this very tool is told of no skill', async () => {
    const w = await world([says('ok'), says('ok')]);
    w.ctx.skills.register(TRIAGE);
    const run = async (setup: Parameters<typeof w.create>[0]) => {
      const { agent } = await w.create(setup);
      agent.send(text('go'));
      await agent.whenIdle();
      return w.model.requests.at(-1)!;
    };

    const restricted = await run({ setup: (ctx) => void ctx.tools.restrict({ deny: ['skill'] }) });
    const other = await run({ setup: (ctx) => void ctx.tools.register(tool('skill')) });

    for (const request of [restricted, other]) expect(JSON.stringify(request.messages)).not.toContain('triage');
    expect(restricted.system).not.toContain('`skill`');
  });

  it('K22 the catalogue stays as it was in this instance; a resumed one makes it anew, with the signal of the prefix', async () => {
    const w = await world([says('one'), says('two'), says('three')]);
    const signals: unknown[] = [];
    const watching: SkillProvider = {
      name: 'watching',
      list: async ({ signal }) => (signals.push(signal), []),
      get: async () => undefined,
    };
    w.ctx.skills.registerProvider(watching);
    w.ctx.skills.register(TRIAGE);
    const { agent } = await w.run();

    w.ctx.skills.register({ ...TRIAGE, name: 'later' });
    agent.send(text('again'));
    await agent.whenIdle();
    expect(JSON.stringify(w.model.requests.at(-1)!.messages)).not.toContain('later');
    const resumed = await w.create({ seed: agent.session.events });
    resumed.agent.send(text('again'));
    await resumed.agent.whenIdle();
    expect(JSON.stringify(w.model.requests.at(-1)!.messages)).toContain('later');
    expect(signals[0]).toBeInstanceOf(AbortSignal);
  });

  it.each([
    ['No Name', 'invalid skill name "No Name"'],
    ['unknown', 'skill "unknown" is unknown or no longer available'],
    ['hidden', 'skill "hidden" is not available for model invocation'],
    ['turned', 'skill "turned" is not available for model invocation'],
  ])('K23 %s is refused', async (name, message) => {
    const w = await world([calls('skill', { name }), says('ok')]);
    const loads: string[] = [];
    const candidate = (of: string, disableModelInvocation: boolean) => ({
      ...{ name: of, description: of, source: 'custom', provider: 'p', disableModelInvocation },
    });
    w.ctx.skills.registerProvider({
      name: 'p',
      list: async () =>
        [candidate('hidden', true), candidate('turned', false)].map((of) => ({ ...of, rank: 1, locator: 0 })),
      get: async (of) => (loads.push(of.name), { ...candidate(of.name, true), content: 'secret text' }),
    });

    const { result } = await w.run();

    expect(result).toMatchObject({ isError: true });
    expect(JSON.stringify(result)).toContain(JSON.stringify(message).slice(1, -1));
    expect(JSON.stringify(result)).not.toContain('secret text');
    expect(loads).toEqual(name === 'turned' ? ['turned'] : []);
  });

  it('K23 K25 a skill is looked up where the session is, and its text reaches the model once', async () => {
    const w = await world([calls('skill', { name: 'local' }), says('ok')], { workspace: 'commit-1' });
    const asked: unknown[] = [];
    const local = { name: 'local', description: 'd', source: 'custom', provider: 'p' };
    w.ctx.skills.registerProvider({
      name: 'p',
      list: async () => [{ ...local, rank: 1, locator: 0 }],
      get: async (_of, { cwd, workspace, signal }) => {
        asked.push([cwd, workspace, signal instanceof AbortSignal]);
        return { ...local, content: 'Do this.' };
      },
    });

    const { agent, request } = await w.run();

    expect(asked).toEqual([['/workspace', 'commit-1', true]]);
    expect(JSON.stringify(request.messages).split('Do this.')).toHaveLength(2);
    const definition = w.ctx.tools.get('skill', agent)!;
    expect(definition.presentCall?.({ name: 'local' })).toMatchObject({ card: 'generic', kind: 'read' });
  });

  it.each<[string, SkillDefinition['resourceBase'], RegExp]>([
    ['a folder', { kind: 'directory', path: '/s/<x>' }, /folder \/s\/&lt;x&gt;\./],
    ['an address', { kind: 'url', url: 'https://s.example/a&b' }, /https:\/\/s\.example\/a&amp;b/],
    ['something else', { kind: 'opaque', description: 'ask "me"' }, /ask &quot;me&quot;/],
    ['nothing that is told', undefined, /managed by the provider runtime/],
  ])('K24 the text names its resources: %s', (_, resourceBase, expected) => {
    const skill = { ...TRIAGE, provider: 'runtime', ...(resourceBase && { resourceBase }) };

    const shown = skillText(skill);

    expect(shown).toMatch(expected);
    expect(shown).toMatch(/^<skill_content name="triage">\n<skill_resources>\n[^]*\n<\/skill_resources>\n/);
    expect(shown).toMatch(/<skill_instructions>\nLook twice\.\n<\/skill_instructions>\n<\/skill_content>$/);
  });

  it('K24 an unknown kind of resources fails loudly', () => {
    const skill = { ...TRIAGE, provider: 'p', resourceBase: { kind: 'ftp' } } as unknown as SkillDefinition;

    expect(codeOf(() => skillText(skill))).toBe('SKILL_RESOURCE_KIND');
  });
});
