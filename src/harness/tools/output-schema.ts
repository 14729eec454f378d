import { snapshotJsonValue } from '../session/json.ts';
import { OutputSchemaError } from './errors.ts';

const STRUCTURED_TYPES = ['object', 'array', 'string', 'number', 'integer', 'boolean', 'null'] as const;
export type StructuredType = (typeof STRUCTURED_TYPES)[number];
export type StructuredScalar = string | number | boolean | null;

/** The part of JSON Schema that results for machines may use; the last four keywords only annotate. */
export interface StructuredSchemaNode {
  type: StructuredType;
  properties?: Record<string, StructuredSchemaNode>;
  required?: string[];
  additionalProperties?: boolean;
  items?: StructuredSchemaNode;
  enum?: StructuredScalar[];
  const?: StructuredScalar;
  description?: string;
  title?: string;
  default?: unknown;
  examples?: unknown[];
}
export interface StructuredOutputSchema extends StructuredSchemaNode {
  type: 'object';
}

/** Throws `UNSUPPORTED_SCHEMA` with every place where a schema leaves the subset. */
export function assertSupportedOutputSchema(schema: unknown): asserts schema is StructuredOutputSchema {
  const violations = schemaViolations(schema);
  if (violations.length > 0) throw new OutputSchemaError(violations);
}

function schemaViolations(schema: unknown): string[] {
  let root: unknown;
  try {
    root = snapshotJsonValue(schema);
  } catch (error) {
    return [Error.isError(error) ? error.message : 'the schema cannot be read'];
  }
  const violations = isObject(root) && root.type !== 'object' ? ['schema.type must be "object"'] : [];
  const pending = [{ node: root, path: 'schema' }];
  for (let next = pending.pop(); next; next = pending.pop()) {
    const { node, path } = next;
    violations.push(...nodeViolations(node, path));
    pending.push(...childrenOf(node, path));
  }
  return violations;
}

function childrenOf(node: unknown, path: string): { node: unknown; path: string }[] {
  if (!isObject(node)) return [];
  const { properties, items } = node;
  const inner = isObject(properties) ? Object.entries(properties) : [];
  const children = inner.map(([name, child]) => ({ node: child, path: `${path}.properties.${name}` }));
  if (items !== undefined) children.push({ node: items, path: `${path}.items` });
  return children.reverse();
}

function nodeViolations(node: unknown, path: string): string[] {
  if (!isObject(node)) return [`${path} must be an object`];
  return [
    ...('type' in node ? [] : [`${path}.type is missing`]),
    ...Object.entries(node).flatMap(([keyword, value]) => {
      const rule = Object.hasOwn(KEYWORDS, keyword) ? KEYWORDS[keyword] : undefined;
      if (!rule) return [`${path}.${keyword} is not supported`];
      return rule.accepts(value) ? [] : [`${path}.${keyword} must be ${rule.as}`];
    }),
  ];
}

interface KeywordRule {
  as: string;
  accepts(value: unknown): boolean;
}

const anything: KeywordRule = { as: 'anything', accepts: () => true };
const text: KeywordRule = { as: 'a string', accepts: isString };

const KEYWORDS: Record<string, KeywordRule> = {
  type: { as: `one of ${STRUCTURED_TYPES.join(', ')}`, accepts: (v) => STRUCTURED_TYPES.includes(v as never) },
  properties: { as: 'an object', accepts: isObject },
  required: { as: 'a list of strings', accepts: (v) => Array.isArray(v) && v.every(isString) },
  additionalProperties: { as: 'a boolean', accepts: (v) => typeof v === 'boolean' },
  items: anything,
  enum: { as: 'a list of scalars', accepts: (v) => Array.isArray(v) && v.length > 0 && v.every(isScalar) },
  const: { as: 'a scalar', accepts: isScalar },
  description: text,
  title: text,
  default: anything,
  examples: anything,
};

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isString(value: unknown): value is string {
  return typeof value === 'string';
}

function isScalar(value: unknown): boolean {
  return value === null || typeof value !== 'object';
}
