import type { SchemaProp, SchemaSpec } from './schema-spec.ts';

/** One line for each way in which `args` misses the schema made from `spec`. Never throws. */
export function validateArgs(spec: SchemaSpec, args: unknown): string[] {
  try {
    return isObject(args) ? objectViolations(spec, args, '') : ['"arguments" must be an object'];
  } catch {
    return ['"arguments" cannot be read'];
  }
}

function objectViolations(spec: SchemaSpec, value: Record<string, unknown>, path: string): string[] {
  return Object.entries(spec).flatMap(([name, prop]) => {
    const at = path === '' ? name : `${path}.${name}`;
    const inner = Object.hasOwn(value, name) ? value[name] : undefined;
    if (inner === undefined) return prop.required ? [`"${at}" is required`] : [];
    return propViolations(prop, inner, at);
  });
}

function propViolations(prop: SchemaProp, value: unknown, path: string): string[] {
  if (!hasType(prop, value)) return [`"${path}" must be ${withArticle(prop.type)}`];
  if (prop.enum && !prop.enum.includes(value as string)) {
    return [`"${path}" must be one of ${prop.enum.map((choice) => JSON.stringify(choice)).join(', ')}`];
  }
  const { properties, items } = prop;
  if (properties && isObject(value)) return objectViolations(properties, value, path);
  if (items && Array.isArray(value)) return value.flatMap((item, i) => propViolations(items, item, `${path}[${i}]`));
  return [];
}

function hasType({ type }: SchemaProp, value: unknown): boolean {
  switch (type) {
    case 'array':
      return Array.isArray(value);
    case 'object':
      return isObject(value);
    default:
      return typeof value === type;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function withArticle(type: SchemaProp['type']): string {
  return type === 'array' || type === 'object' ? `an ${type}` : `a ${type}`;
}
