import { basicAuthorization } from './git-environment.ts';

/** Git's own words without what could log somebody in: the token in any of its forms, and user parts of URLs. */
export function redactGit(text: string, token?: string): string {
  const withoutUrls = text
    .replace(/(\b[a-z][a-z+.-]*:\/\/)[^\s/@]+@/gi, '$1***@')
    .replace(/(authorization:).*/gi, '$1 ***');
  if (!token) return withoutUrls;
  const encoded = basicAuthorization(token).slice('basic '.length);
  return withoutUrls.replaceAll(token, '***').replaceAll(encoded, '***');
}
