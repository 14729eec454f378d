import { readFileSync } from 'node:fs';
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import type { Validator } from '../../src/demo/github/hub.ts';

type Json = Record<string, unknown>;

interface Operation {
  parameters?: Json[];
  requestBody?: { content?: Record<string, { schema?: Json }>; required?: boolean };
  responses?: Record<string, Json>;
}

interface Description {
  paths: Record<string, Record<string, Operation>>;
  components: Record<string, Record<string, Json>>;
}

/** Checks calls, and with `responses` also answers, against GitHub's published OpenAPI description. Schemas compile when first used. */
export function openapiValidator({ responses = false } = {}): Validator {
  const description = readDescription();
  const ajv = new Ajv({ strict: false, allErrors: true, coerceTypes: false, validateFormats: false });
  const compiled = new Map<string, ValidateFunction | undefined>();

  const compile = (key: string, schema: () => Json | undefined): ValidateFunction | undefined => {
    if (!compiled.has(key)) {
      const found = schema();
      compiled.set(key, found && ajv.compile(standalone(description, found)));
    }
    return compiled.get(key);
  };

  return {
    request({ operation, query, body }) {
      const found = findOperation(description, operation);
      if (!found) return [];
      const validate = compile(operation, () => bodySchema(found));
      const faults = validate && (body !== undefined || found.requestBody?.required) ? check(validate, body ?? {}) : [];
      return [...faults, ...checkQuery(description, found, query)];
    },
    ...(responses && {
      response({ operation, status, body }: { operation: string; status: number; body: unknown }) {
        const found = findOperation(description, operation);
        if (
          !found ||
          misdescribed.has(`${operation} ${status}`) ||
          body === undefined ||
          typeof body === 'string' ||
          Buffer.isBuffer(body)
        )
          return [];
        const validate = compile(`${operation} ${status}`, () => responseSchema(description, found, status));
        return validate ? check(validate, JSON.parse(JSON.stringify(body))) : [];
      },
    }),
  };
}

function readDescription(): Description {
  const path = new URL('../../node_modules/@octokit/openapi/generated/api.github.com.json', import.meta.url);
  return JSON.parse(readFileSync(path, 'utf8')) as Description;
}

function findOperation({ paths }: Description, operation: string): Operation | undefined {
  const [method = '', path = ''] = operation.split(' ');
  return paths[path]?.[method.toLowerCase()];
}

const bodySchema = ({ requestBody }: Operation) => requestBody?.content?.['application/json']?.schema;

function responseSchema(description: Description, { responses }: Operation, status: number): Json | undefined {
  const response = resolve(description, responses?.[String(status)]) as
    { content?: Record<string, { schema?: Json }> } | undefined;
  return response?.content?.['application/json']?.schema;
}

function checkQuery(description: Description, { parameters = [] }: Operation, query: Record<string, string>): string[] {
  const known = parameters.map(
    (parameter) => resolve(description, parameter) as { in: string; name: string; schema?: { enum?: unknown[] } },
  );
  return Object.entries(query).flatMap(([name, value]) => {
    const parameter = known.find((candidate) => candidate.in === 'query' && candidate.name === name);
    if (!parameter) return [`query/${name} is not a parameter of this call.`];
    const allowed = parameter.schema?.enum;
    return allowed && !allowed.map(String).includes(value)
      ? [`query/${name} must be one of ${allowed.join(', ')}.`]
      : [];
  });
}

function check(validate: ValidateFunction, value: unknown): string[] {
  if (validate(value)) return [];
  return (validate.errors ?? [])
    .filter((error) => !isOutdatedPlace(error))
    .map(({ instancePath, message, params }) => `For '${instancePath || '/'}', ${message} ${JSON.stringify(params)}.`);
}

/** Here the description asks an account to be a person and an enterprise at once. */
const misdescribed = new Set(['GET /app/installations 200']);

/** GitHub answers null for the place of an outdated comment, against its own description. */
const isOutdatedPlace = ({ instancePath, message }: ErrorObject) =>
  /\/(line|position)$/.test(instancePath) && message === 'must be integer';

function resolve(description: Description, value: Json | undefined): Json | undefined {
  const pointer = value?.$ref;
  if (typeof pointer !== 'string') return value;
  const [, , kind = '', name = ''] = pointer.split('/');
  return description.components[kind]?.[name];
}

/** A schema with everything it refers to, and OpenAPI's `nullable` said in JSON Schema. */
function standalone(description: Description, schema: Json): Json {
  const definitions: Record<string, unknown> = {};
  const convert = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(convert);
    if (typeof value !== 'object' || value === null) return value;
    if (typeof (value as Json).$ref === 'string') return { $ref: define((value as { $ref: string }).$ref) };
    const { nullable, example, examples, ...rest } = value as Json;
    const converted = Object.fromEntries(
      Object.entries(rest).map(([key, inner]) => [key, key === 'enum' ? inner : convert(inner)]),
    );
    return nullable === true ? { anyOf: [{ type: 'null' }, converted] } : converted;
  };
  const define = (pointer: string): string => {
    const [, , kind = '', name = ''] = pointer.split('/');
    if (!(name in definitions)) {
      definitions[name] = true;
      definitions[name] = convert(description.components[kind]?.[name]);
    }
    return `#/$defs/${name}`;
  };
  return { ...(convert(schema) as Json), $defs: definitions };
}
