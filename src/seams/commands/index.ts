/** Commands: what people can command a session, without the model. */
export * from './types.ts';
export * from './parse-command.ts';
export * from './command-service.ts';
