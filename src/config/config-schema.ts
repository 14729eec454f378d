import { z } from 'zod';
import { ConfigFile } from './config-file.ts';

/** Where editors find it, for one version of this program. */
export function schemaUrl(version: string): string {
  return `https://raw.githubusercontent.com/dsh-github/dsh-github/v${version}/schema/dsh.schema.json`;
}

/** The JSON Schema of `.github/dsh.yml`, read off the schema that checks it. */
export function configSchema(): object {
  const schema = z.toJSONSchema(ConfigFile, { target: 'draft-7', io: 'input' });
  return { ...schema, title: 'dsh', description: 'Settings of dsh for one repository: .github/dsh.yml' };
}
