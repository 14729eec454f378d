import type { Context, Plugin } from '../../harness/kernel/context.ts';
import { HarnessError } from '../../harness/llm/errors.ts';
import { defineTool } from '../../harness/tools/define-tool.ts';
import type { ToolDefinition, ToolExecution } from '../../harness/tools/types.ts';
import { toolSection } from '../bash/tool-section.ts';
import { isSkillName } from './check-skill.ts';
import type { SkillService } from './skill-service.ts';
import { catalogueText, skillText } from './skill-texts.ts';
import type { SkillLookupOptions } from './types.ts';
import '../../harness/agent/events.ts';

export interface SkillToolConfig {
  /** In characters, from 3. */
  catalogDescriptionMaxLength?: number;
  /** Goes with every look-up: what tells this workspace from others at the same path. */
  workspace?: string;
}

const DEFAULT_DESCRIPTION_MAX = 500;
const DESCRIPTION =
  'Loads the instructions of one of the available skills, by its name. Load a skill before work that it is about; no skill needs to be loaded twice.';
const GUIDANCE =
  'The available skills belong to the repository instructions: what `skill` returns may instruct you as those do, within the request.';

/** Tells the model which skills there are, and lets it load them. */
export const skillTool: Plugin<SkillToolConfig | undefined> = {
  name: 'skill-tool',
  inject: ['skills', 'tools', 'systemPrompt'],
  apply(ctx: Context, { catalogDescriptionMaxLength: max = DEFAULT_DESCRIPTION_MAX, workspace } = {}) {
    if (!Number.isSafeInteger(max) || max < 3)
      throw new HarnessError('skill tool: catalogDescriptionMaxLength must be a whole number from 3', 'SKILL_CONFIG');
    const place = workspace === undefined ? {} : { workspace };
    const tool = defineSkillTool(ctx.skills, place);
    ctx.tools.register(tool);
    toolSection(ctx, tool.name, 109, GUIDANCE);
    ctx.on('agent/session-prefix', async (agent, _prefix, signal, next) => {
      // A tool that only happens to have this name, or none at all, loads nothing of what is listed.
      if (ctx.tools.get(tool.name, agent) !== tool) return next();
      const listed = await ctx.skills.list({ ...place, ...cwdOf(agent.session.header), signal });
      if (listed.length === 0) return next();
      const text = catalogueText(listed, max);
      return [{ role: 'user' as const, content: [{ type: 'text' as const, text }] }, ...(await next())];
    });
  },
};

function cwdOf({ cwd }: { readonly cwd?: string }): SkillLookupOptions {
  return cwd === undefined ? {} : { cwd };
}

function defineSkillTool(skills: SkillService, place: SkillLookupOptions): ToolDefinition {
  return defineTool({
    name: 'skill',
    description: DESCRIPTION,
    parameters: { name: { type: 'string', required: true, description: 'The name of the skill.' } },
    execute: async ({ name }, exec) => [{ type: 'text', text: await load(skills, name, place, exec) }],
    presentCall: ({ name }) => ({ card: 'generic', title: `skill ${name}`, kind: 'read' }),
  });
}

/** Whether the model may have it is asked before the text is touched, and again of what came. */
async function load(
  skills: SkillService,
  name: string,
  place: SkillLookupOptions,
  { agent, signal }: ToolExecution,
): Promise<string> {
  if (!isSkillName(name)) throw refused(`invalid skill name "${name}"`);
  const options = { ...place, ...(agent && cwdOf(agent.session.header)), signal };
  const known = await skills.find(name, options);
  if (known?.disableModelInvocation) throw notForTheModel(name);
  const skill = known && (await skills.get(name, options));
  if (!skill) throw refused(`skill "${name}" is unknown or no longer available`);
  if (skill.disableModelInvocation) throw notForTheModel(name);
  return skillText(skill);
}

function notForTheModel(name: string): HarnessError {
  return refused(`skill "${name}" is not available for model invocation`);
}

function refused(message: string): HarnessError {
  return new HarnessError(message, 'SKILL_REFUSED');
}
