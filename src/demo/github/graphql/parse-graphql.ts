export type Argument = { variable: string } | { value: unknown };

export interface Field {
  alias: string;
  name: string;
  arguments: Record<string, Argument>;
  fields: Field[];
}

const token =
  /\s*(?:#[^\n]*\n\s*)*(\.\.\.|[_A-Za-z]\w*|\$\w+|-?\d+(?:\.\d+)?|"(?:[^"\\]|\\.)*"|[{}()[\]:=!@|&])?[\s,]*/y;

/** Reads one operation of a GraphQL document. Inline fragments are flattened; named fragments and directives are not known here. */
export function parseGraphql(document: string): Field[] {
  const tokens = tokenize(document);
  let at = 0;
  while (at < tokens.length && tokens[at] !== '{') at = tokens[at] === '(' ? closing(tokens, at) + 1 : at + 1;
  return selection();

  function selection(): Field[] {
    const fields: Field[] = [];
    at++;
    while (tokens[at] !== '}') {
      if (at >= tokens.length) throw new SyntaxError('Expected }');
      fields.push(...(tokens[at] === '...' ? inlineFragment() : [field()]));
    }
    at++;
    return fields;
  }

  function inlineFragment(): Field[] {
    while (tokens[at] !== '{') at++;
    return selection();
  }

  function field(): Field {
    const alias = tokens[at++]!;
    const name = tokens[at] === ':' ? tokens[(at += 2) - 1]! : alias;
    const args = tokens[at] === '(' ? readArguments() : {};
    return { alias, name, arguments: args, fields: tokens[at] === '{' ? selection() : [] };
  }

  function readArguments(): Record<string, Argument> {
    const read: Record<string, Argument> = {};
    at++;
    while (tokens[at] !== ')') {
      const name = tokens[at]!;
      at += 2;
      read[name] = value();
    }
    at++;
    return read;
  }

  function value(): Argument {
    const text = tokens[at++]!;
    if (text.startsWith('$')) return { variable: text.slice(1) };
    if (text === '{') return { value: objectValue() };
    return { value: scalar(text) };
  }

  function objectValue(): Record<string, Argument> {
    const read: Record<string, Argument> = {};
    while (tokens[at] !== '}') {
      const name = tokens[at]!;
      at += 2;
      read[name] = value();
    }
    at++;
    return read;
  }
}

/** The value an argument has, with variables filled in. */
export function argumentValue(argument: Argument | undefined, variables: Record<string, unknown>): unknown {
  if (argument === undefined) return undefined;
  if ('variable' in argument) return variables[argument.variable];
  if (typeof argument.value !== 'object' || argument.value === null) return argument.value;
  const entries = Object.entries(argument.value as Record<string, Argument>);
  return Object.fromEntries(entries.map(([name, inner]) => [name, argumentValue(inner, variables)]));
}

function tokenize(document: string): string[] {
  const tokens: string[] = [];
  token.lastIndex = 0;
  while (token.lastIndex < document.length) {
    const start = token.lastIndex;
    const found = token.exec(document)?.[1];
    if (found === undefined && token.lastIndex <= start)
      throw new SyntaxError(`Unexpected ${document.slice(start, start + 10)}`);
    if (found !== undefined) tokens.push(found);
  }
  return tokens;
}

function closing(tokens: string[], open: number): number {
  let depth = 0;
  for (let at = open; at < tokens.length; at++) {
    if (tokens[at] === '(') depth++;
    if (tokens[at] === ')' && --depth === 0) return at;
  }
  throw new SyntaxError('Expected )');
}

function scalar(text: string): unknown {
  if (text.startsWith('"')) return JSON.parse(text) as string;
  if (/^-?\d/.test(text)) return Number(text);
  if (text === 'true' || text === 'false') return text === 'true';
  return text === 'null' ? null : text;
}
