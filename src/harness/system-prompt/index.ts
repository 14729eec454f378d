/** The system prompt: sections, variables, assembly. `AssembleContext` and `PromptAssembly` are open. */
export * from './types.ts';
export * from './events.ts';
export * from './system-prompt.ts';
export * from './render-prompt.ts';
