import type { ToolSchema } from '../llm/types.ts';
import type { ScopedLayers } from '../scope/scoped-layers.ts';
import type { PromptLayer } from './prompt-layer.ts';
import { orderTools } from './tool-order.ts';
import type { AssembleContext, AssembledSection, PromptAssembly } from './types.ts';

/** Asks every contributor that this context can see, and puts the answers in their canonical order. */
export function collectAssembly(
  layers: ScopedLayers<PromptLayer>,
  context: AssembleContext,
  toolOrder: readonly string[] | undefined,
): PromptAssembly {
  return {
    variables: collectVariables(layers, context),
    sections: collectSections(layers, context),
    tools: collectTools(layers, context, toolOrder),
  };
}

/** Live tables: a variable that an earlier provider registers just now counts already. */
function collectVariables(layers: ScopedLayers<PromptLayer>, context: AssembleContext): PromptAssembly['variables'] {
  const variables: PromptAssembly['variables'] = {};
  for (const layer of [layers.global, layers.peek(context.scope)]) {
    for (const [name, provide] of layer?.variables.entries() ?? []) variables[name] = provide(context);
  }
  return variables;
}

/** Merged before anything is evaluated: the text of a shadowed section is never asked for. */
function collectSections(layers: ScopedLayers<PromptLayer>, context: AssembleContext): AssembledSection[] {
  return [...layers.merge(context.scope, (layer) => layer.sections).values()]
    .sort((a, b) => a.order - b.order)
    .map(({ name, text }) => ({ name, text: typeof text === 'function' ? text(context) : text }));
}

/** The list of providers is fixed before the first one is asked. */
function collectTools(
  layers: ScopedLayers<PromptLayer>,
  context: AssembleContext,
  toolOrder: readonly string[] | undefined,
): ToolSchema[] {
  const scoped = layers.peek(context.scope);
  const providers = [...layers.global.toolProviders.values(), ...(scoped?.toolProviders.values() ?? [])];
  const answers = providers.map((provide) => provide(context));
  const schemas = answers.flatMap((answer) => answer.schemas.map(detached));
  const known = answers.flatMap((answer) => answer.knownNames ?? answer.schemas.map(({ name }) => name));
  return orderTools(schemas, new Set(known), toolOrder);
}

function detached({ name, description, parameters }: ToolSchema): ToolSchema {
  return { name, description, parameters: structuredClone(parameters) };
}
