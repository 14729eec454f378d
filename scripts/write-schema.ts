import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { format, resolveConfig } from 'prettier';
import { configSchema } from '../src/config/config-schema.ts';

const ROOT = join(import.meta.dirname, '..');
const file = join(ROOT, 'schema/dsh.schema.json');
const options = await resolveConfig(file);
const text = await format(JSON.stringify(configSchema()), { ...options, parser: 'json' });

mkdirSync(join(ROOT, 'schema'), { recursive: true });
writeFileSync(file, text);
