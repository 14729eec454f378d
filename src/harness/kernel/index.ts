/** The microkernel: contexts, events, effects, services, plugins. Merge into `Events` and `Context` from here. */
export * from './context.ts';
export * from './branded.ts';
export * from './find-waiting.ts';
