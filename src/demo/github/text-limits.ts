import { invalid, unprocessable } from './refusal.ts';

const maximumCharacters = 65_536;

/** GitHub takes bodies of at most 65,536 characters, counted as code points; `body` comes back unchanged. */
export function checkBody<T extends string | null>(resource: string, body: T): T {
  const characters = body === null ? 0 : [...(body as string)].length;
  if (characters > maximumCharacters) {
    throw invalid({
      resource,
      field: 'body',
      code: 'custom',
      message: `body is too long (maximum is ${maximumCharacters} characters)`,
    });
  }
  return body;
}

/** Comments may not be empty. */
export function checkText(resource: string, body: unknown): string {
  if (typeof body !== 'string') throw unprocessable("Invalid request.\n\nFor 'properties/body', nil is not a string.");
  if (body.trim() === '') throw invalid({ resource, field: 'body', code: 'custom', message: 'body cannot be blank' });
  return checkBody(resource, body);
}
