export type SchemaType = 'string' | 'number' | 'boolean' | 'object' | 'array';

/** One parameter. `default` is told to the model and never applied. */
export interface SchemaProp {
  type: SchemaType;
  required?: true;
  description?: string;
  enum?: readonly string[];
  default?: unknown;
  properties?: SchemaSpec;
  items?: SchemaProp;
}
export type SchemaSpec = { readonly [name: string]: SchemaProp };

type RequiredKeys<S> = { [K in keyof S]: S[K] extends { required: true } ? K : never }[keyof S];
type Flat<T> = { [K in keyof T]: T[K] };

/** The arguments a spec admits: `required: true` keys are mandatory, all others optional, at every depth. */
export type InferArgs<S> = Flat<
  { -readonly [K in RequiredKeys<S>]: InferProp<S[K]> } & {
    -readonly [K in Exclude<keyof S, RequiredKeys<S>>]?: InferProp<S[K]>;
  }
>;

type InferProp<P> = P extends { enum: readonly (infer E)[] }
  ? E
  : P extends { type: 'string' }
    ? string
    : P extends { type: 'number' }
      ? number
      : P extends { type: 'boolean' }
        ? boolean
        : P extends { type: 'array' }
          ? InferItems<P>[]
          : P extends { properties: infer S }
            ? InferArgs<S>
            : Record<string, unknown>;

type InferItems<P> = P extends { items: infer I } ? InferProp<I> : unknown;

export interface JsonSchemaObject extends Record<string, unknown> {
  type: 'object';
  properties: Record<string, unknown>;
  required?: string[];
}

/** What the model is told of a spec. */
export function schemaSpecToJsonSchema(spec: SchemaSpec): JsonSchemaObject {
  const entries = Object.entries(spec);
  const required = entries.filter(([, prop]) => prop.required).map(([name]) => name);
  return {
    type: 'object',
    properties: Object.fromEntries(entries.map(([name, prop]) => [name, propSchema(prop)])),
    ...(required.length > 0 && { required }),
  };
}

function propSchema(prop: SchemaProp): Record<string, unknown> {
  const { type, description, properties, items } = prop;
  return {
    type,
    ...(description !== undefined && { description }),
    ...(prop.enum && { enum: [...prop.enum] }),
    ...(prop.default !== undefined && { default: prop.default }),
    ...(properties && schemaSpecToJsonSchema(properties)),
    ...(items && { items: propSchema(items) }),
  };
}
