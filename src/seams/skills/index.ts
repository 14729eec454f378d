/** Skills: the registry, folders of skills, the catalogue and the tool that loads them. */
export * from './types.ts';
export * from './skill-service.ts';
export * from './local-skills.ts';
export * from './skill-tool.ts';
