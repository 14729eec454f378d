import { createPublicKey, verify, type KeyObject } from 'node:crypto';
import type { Hub } from './hub.ts';
import type { Actor, Token } from './records.ts';
import { badCredentials, Refusal } from './refusal.ts';

const maximumJwtSeconds = 600;
const leewaySeconds = 60;

/** Who an `Authorization` header speaks for. A wrong, revoked or outlived credential is a 401. */
export function authenticate(hub: Hub, publicKey: KeyObject, header: string | undefined): Actor {
  if (!header) return { kind: 'anonymous' };
  const credential = readCredential(header);
  return credential.split('.').length === 3 ? checkJwt(hub, publicKey, credential) : checkToken(hub, credential);
}

export const publicKeyOf = (privateKeyPem: string): KeyObject => createPublicKey(privateKeyPem);

function isExpired(hub: Hub, token: Token): boolean {
  return token.expires && hub.now().getTime() >= token.issuedAt.getTime() + hub.faults.tokenLifetimeMs;
}

function readCredential(header: string): string {
  const [scheme = '', value = ''] = header.trim().split(/\s+/);
  if (scheme.toLowerCase() !== 'basic') return value;
  const decoded = Buffer.from(value, 'base64').toString();
  return decoded.slice(decoded.indexOf(':') + 1) || decoded.slice(0, decoded.indexOf(':'));
}

function checkToken(hub: Hub, value: string): Actor {
  const token = hub.tokens.get(value);
  if (!token || isExpired(hub, token)) throw badCredentials();
  if (isSuspended(hub, token.actor)) throw new Refusal(403, 'This installation has been suspended');
  return token.actor;
}

function isSuspended(hub: Hub, actor: Actor): boolean {
  if (actor.kind !== 'app' || actor.app !== hub.app) return false;
  return hub.installations.some(({ account, suspendedAt }) => account.id === actor.ownerId && suspendedAt !== null);
}

function checkJwt(hub: Hub, publicKey: KeyObject, jwt: string): Actor {
  const [header = '', payload = '', signature = ''] = jwt.split('.');
  const signed = Buffer.from(`${header}.${payload}`);
  const algorithm = parsePart(header).alg;
  if (algorithm !== 'RS256' || !verify('RSA-SHA256', signed, publicKey, Buffer.from(signature, 'base64url'))) {
    throw new Refusal(401, 'A JSON web token could not be decoded');
  }
  checkClaims(hub, parsePart(payload));
  return { kind: 'app-jwt', app: hub.app };
}

function checkClaims(hub: Hub, { iss, iat, exp }: Record<string, unknown>): void {
  const now = Math.floor(hub.now().getTime() / 1000);
  if (String(iss) !== String(hub.app.id)) throw new Refusal(401, 'Integration not found');
  if (typeof iat !== 'number' || iat > now + leewaySeconds) {
    throw new Refusal(
      401,
      "'Issued at' claim ('iat') must be an Integer representing the time that the assertion was issued",
    );
  }
  if (typeof exp !== 'number' || exp <= now) {
    throw new Refusal(
      401,
      "'Expiration time' claim ('exp') must be a numeric value representing the future time at which the assertion expires",
    );
  }
  if (exp > now + maximumJwtSeconds + leewaySeconds)
    throw new Refusal(401, "'Expiration time' claim ('exp') is too far in the future");
}

function parsePart(part: string): Record<string, unknown> {
  try {
    return JSON.parse(Buffer.from(part, 'base64url').toString()) as Record<string, unknown>;
  } catch {
    throw new Refusal(401, 'A JSON web token could not be decoded');
  }
}
