import { isJsonValue } from '../session/json.ts';
import type { StructuredOutputSchema, StructuredSchemaNode, StructuredType } from './output-schema.ts';

/** One line for each way in which a value misses a supported schema. Never throws. */
export function validateStructuredValue(schema: StructuredOutputSchema, value: unknown): string[] {
  if (!isJsonValue(value)) return ['the value is not JSON'];
  try {
    return violationsOf(schema, value, '');
  } catch {
    return ['the value cannot be checked'];
  }
}

function violationsOf(schema: StructuredSchemaNode, value: unknown, path: string): string[] {
  const at = path === '' ? 'the value' : `"${path}"`;
  if (!HAS_TYPE[schema.type](value)) return [`${at} must be of type ${schema.type}`];
  if (schema.enum && !schema.enum.includes(value as never)) {
    return [`${at} must be one of ${schema.enum.map((choice) => JSON.stringify(choice)).join(', ')}`];
  }
  if ('const' in schema && value !== schema.const) return [`${at} must be ${JSON.stringify(schema.const)}`];
  if (isObject(value)) return objectViolations(schema, value, path);
  if (Array.isArray(value)) return itemViolations(schema, value, path);
  return [];
}

function objectViolations(schema: StructuredSchemaNode, value: Record<string, unknown>, path: string): string[] {
  const { properties = {}, required = [], additionalProperties = true } = schema;
  const pathOf = (name: string) => (path === '' ? name : `${path}.${name}`);
  const missing = required.filter((name) => !Object.hasOwn(value, name));
  const extra = additionalProperties ? [] : Object.keys(value).filter((name) => !Object.hasOwn(properties, name));
  return [
    ...missing.map((name) => `"${pathOf(name)}" is required`),
    ...extra.map((name) => `"${pathOf(name)}" is not allowed`),
    ...Object.entries(properties).flatMap(([name, inner]) =>
      Object.hasOwn(value, name) ? violationsOf(inner, value[name], pathOf(name)) : [],
    ),
  ];
}

function itemViolations({ items }: StructuredSchemaNode, value: unknown[], path: string): string[] {
  return items ? value.flatMap((item, i) => violationsOf(items, item, `${path}[${i}]`)) : [];
}

const HAS_TYPE: Record<StructuredType, (value: unknown) => boolean> = {
  object: isObject,
  array: Array.isArray,
  string: (value) => typeof value === 'string',
  number: (value) => typeof value === 'number',
  integer: Number.isInteger,
  boolean: (value) => typeof value === 'boolean',
  null: (value) => value === null,
};

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
