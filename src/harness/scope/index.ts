/** Scopes: contributions that one agent alone sees. */
export * from './scope.ts';
export * from './scoped-layers.ts';
export * from './named-entries.ts';
export * from './anonymous-entries.ts';
export * from './scope-invariants.ts';
