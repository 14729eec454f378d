/** Takes known secrets and anything shaped like a bearer token or an API key out of a server's error text. */
export function redactSecrets(text: string, secrets: readonly string[]): string {
  const withoutKnown = secrets
    .filter((secret) => secret !== '')
    .reduce((rest, secret) => rest.replaceAll(secret, '[redacted]'), text);
  return withoutKnown.replace(/(bearer\s+)[\w.~+/=-]{8,}/gi, '$1[redacted]').replace(/\bsk-[\w-]{8,}/g, '[redacted]');
}
