import { LineCounter, isMap, isScalar, parseDocument } from 'yaml';
import type { Document } from 'yaml';
import type { z } from 'zod';
import { DshError } from '../errors.ts';
import { nearestName } from './nearest-name.ts';
import { ConfigFile } from './config-file.ts';

/**
 * Parses a configuration file (YAML). Throws `CONFIG_INVALID` with file, line, key, what was given and what is allowed;
 * an unknown key is named together with the nearest known one.
 */
export function readConfigFile(text: string, file: string): ConfigFile {
  const lines = new LineCounter();
  const { document, value } = parseYaml(text, file, lines);
  const parsed = ConfigFile.safeParse(value ?? {});
  if (parsed.success) return parsed.data;
  const messages = parsed.error.issues.flatMap((issue) => describe(issue, document, lines));
  throw invalidConfig(file, messages);
}

/** Beside a mistake in the file, YAML stops at aliases that would multiply it and at nesting too deep for the stack. */
function parseYaml(text: string, file: string, lineCounter: LineCounter): { document: Document; value: unknown } {
  try {
    const document = parseDocument(text, { lineCounter, prettyErrors: true });
    const broken = document.errors[0];
    if (broken) throw broken;
    return { document, value: document.toJS() };
  } catch (error) {
    throw invalidConfig(file, [Error.isError(error) ? error.message : String(error)], error);
  }
}

function describe(issue: z.core.$ZodIssue, document: Document, lines: LineCounter): string[] {
  const path = issue.path.map(String);
  if (issue.code !== 'unrecognized_keys') {
    return [`line ${lineOf(document, lines, path)}: ${path.join('.') || 'the file'}: ${issue.message}`];
  }
  return issue.keys.map((key) => {
    const near = nearestName(key, knownKeys(path));
    const at = lineOf(document, lines, [...path, key]);
    return `line ${at}: unknown key ${[...path, key].join('.')}${near ? `, did you mean ${near}?` : ''}`;
  });
}

function lineOf(document: Document, lines: LineCounter, path: readonly string[]): number {
  const parent = path.length > 1 ? document.getIn(path.slice(0, -1)) : document.contents;
  const last = path.at(-1);
  const pair = isMap(parent) ? parent.items.find((item) => isScalar(item.key) && item.key.value === last) : undefined;
  const offset = isScalar(pair?.key) ? pair.key.range?.[0] : 0;
  return lines.linePos(offset ?? 0).line;
}

/** The keys that are allowed below a path, read off the schema itself. */
function knownKeys(path: readonly string[]): string[] {
  let schema: unknown = ConfigFile;
  for (const key of path) schema = unwrap(shapeOf(schema)?.[key]);
  return Object.keys(shapeOf(schema) ?? {});
}

function shapeOf(schema: unknown): Record<string, unknown> | undefined {
  return (unwrap(schema) as { shape?: Record<string, unknown> } | undefined)?.shape;
}

function unwrap(schema: unknown): unknown {
  const inner = (schema as { def?: { innerType?: unknown } } | undefined)?.def?.innerType;
  return inner ? unwrap(inner) : schema;
}

function invalidConfig(file: string, messages: readonly string[], cause?: unknown): DshError {
  const hint = 'Correct the file; docs/configuration.md lists every key.';
  return new DshError(`${file} is not valid:\n${messages.join('\n')}`, 'CONFIG_INVALID', hint, { cause });
}
