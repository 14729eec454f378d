import { createPrivateKey } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Env } from '../config/env.ts';
import { DshError } from '../errors.ts';

const HINT = 'Set PRIVATE_KEY, or PRIVATE_KEY_PATH to the file GitHub gave you.';

/** The App's private key, in PEM format. Throws `CONFIG_INVALID` where there is none, or what is there is no RSA key. */
export async function readPrivateKey({ PRIVATE_KEY, PRIVATE_KEY_PATH }: Env): Promise<string> {
  const inline = PRIVATE_KEY?.replaceAll(String.raw`\n`, '\n');
  if (inline) return checked(inline, 'PRIVATE_KEY');
  if (PRIVATE_KEY_PATH) return checked(await readKeyFile(PRIVATE_KEY_PATH), `The file ${PRIVATE_KEY_PATH}`);
  throw new DshError('The private key of the GitHub App is not set.', 'CONFIG_INVALID', HINT);
}

async function readKeyFile(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (cause) {
    const why = (cause as NodeJS.ErrnoException).code ?? String(cause);
    throw new DshError(`PRIVATE_KEY_PATH names ${path}, which cannot be read (${why}).`, 'CONFIG_INVALID', HINT, {
      cause,
    });
  }
}

/** What is wrong with it is not told: that could show a part of it. */
function checked(key: string, place: string): string {
  if (isRsaKey(key)) return key;
  throw new DshError(`${place} is not an RSA private key in PEM format.`, 'CONFIG_INVALID', HINT);
}

function isRsaKey(key: string): boolean {
  try {
    return createPrivateKey(key).asymmetricKeyType === 'rsa';
  } catch {
    return false; // no key at all
  }
}
