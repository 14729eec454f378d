import { GraphqlError } from './graphql-error.ts';
import { argumentValue, type Argument, type Field } from './parse-graphql.ts';

/** Picks the asked fields of a node; a function in a node takes the field's arguments. A field we have not is an error, as on GitHub. */
export function project(node: unknown, fields: Field[], variables: Record<string, unknown>): unknown {
  if (fields.length === 0 || node === null || node === undefined) return node ?? null;
  if (Array.isArray(node)) return node.map((item) => project(item, fields, variables));
  const source = node as Record<string, unknown>;
  return Object.fromEntries(fields.map((field) => [field.alias, projectField(source, field, variables)]));
}

/** The values of a field's arguments. */
export function argumentsOf(
  given: Record<string, Argument>,
  variables: Record<string, unknown>,
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(given).map(([name, argument]) => [name, argumentValue(argument, variables)]),
  );
}

function projectField(source: Record<string, unknown>, field: Field, variables: Record<string, unknown>): unknown {
  if (!(field.name in source)) throw new GraphqlError('undefinedField', `Field '${field.name}' doesn't exist here`);
  const value = source[field.name];
  const resolved =
    typeof value === 'function'
      ? (value as (given: object) => unknown)(argumentsOf(field.arguments, variables))
      : value;
  return project(resolved, field.fields, variables);
}
