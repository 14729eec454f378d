import { ToolArgsError } from './errors.ts';
import { schemaSpecToJsonSchema } from './schema-spec.ts';
import type { InferArgs, SchemaSpec } from './schema-spec.ts';
import type {
  ToolCallView,
  ToolDefinition,
  ToolExecuteReturn,
  ToolResult,
  ToolResultView,
  ToolRunContext,
} from './types.ts';
import { validateArgs } from './validate-args.ts';

export { schemaSpecToJsonSchema } from './schema-spec.ts';
export type { InferArgs, JsonSchemaObject, SchemaProp, SchemaSpec, SchemaType } from './schema-spec.ts';
export { validateArgs } from './validate-args.ts';

export interface DefineToolOptions<S extends SchemaSpec> {
  name: string;
  description: string;
  parameters: S;
  timeoutMs?: number;
  isConcurrencySafe?(args: InferArgs<S>): boolean;
  execute(args: InferArgs<S>, exec: ToolRunContext): Promise<ToolExecuteReturn>;
  presentCall?(args: InferArgs<S>): ToolCallView | undefined;
  presentResult?(args: InferArgs<S>, result: ToolResult): ToolResultView | undefined;
}

/** A tool whose code sees typed, validated arguments. Misfits end the call with `INVALID_ARGS`. */
export function defineTool<const S extends SchemaSpec>(options: DefineToolOptions<S>): ToolDefinition {
  const { name, description, parameters, timeoutMs } = options;
  const fits = (args: unknown): args is InferArgs<S> => validateArgs(parameters, args).length === 0;
  return {
    name,
    description,
    parameters: schemaSpecToJsonSchema(parameters),
    ...(timeoutMs !== undefined && { timeoutMs }),
    isConcurrencySafe: (args) => fits(args) && options.isConcurrencySafe?.(args) === true,
    execute: async (args, exec) => {
      const violations = validateArgs(parameters, args);
      if (violations.length > 0) throw new ToolArgsError(name, violations, args);
      return options.execute(args as InferArgs<S>, exec);
    },
    presentCall: (args) => orUndefined(() => (fits(args) ? options.presentCall?.(args) : undefined)),
    presentResult: (args, result) =>
      orUndefined(() => (fits(args) ? options.presentResult?.(args, result) : undefined)),
  };
}

/** Views are drawn from old logs, too: what cannot be drawn is left to the generic view. */
function orUndefined<T>(present: () => T | undefined): T | undefined {
  try {
    return present();
  } catch {
    return undefined;
  }
}
