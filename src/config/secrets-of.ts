const SECRET_VARIABLES = [
  'GITHUB_TOKEN',
  'WEBHOOK_SECRET',
  'GITHUB_CLIENT_SECRET',
  'PRIVATE_KEY',
  'DEEPSEEK_API_KEY',
  'OPENAI_API_KEY',
  'DATABASE_URL',
  'INPUT_GITHUB-TOKEN',
  'INPUT_API-KEY',
] as const;

/** The secrets among the variables a host was started with: what it says without a bot is redacted by them (P8). */
export function secretsOf(variables: Readonly<Record<string, string | undefined>>): string[] {
  return SECRET_VARIABLES.flatMap((name) => variables[name] ?? []);
}
