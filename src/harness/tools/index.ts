/** Tools: definitions, the registry, the guarded pipeline. */
export * from './types.ts';
export * from './events.ts';
export * from './define-tool.ts';
export * from './tool-registry.ts';
export * from './tools.ts';
export * from './timeout-policy.ts';
export * from './errors.ts';
