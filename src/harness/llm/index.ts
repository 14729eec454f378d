/** Models: the vocabulary of messages and chunks, adapters, the service, retries. The `…Map` interfaces are open. */
export * from './types.ts';
export * from './errors.ts';
export * from './llm-adapter.ts';
export * from './llm-service.ts';
export * from './block-assembler.ts';
export * from './llm-retry.ts';
export * from './attribution.ts';
export * from './chunk-validator.ts';
