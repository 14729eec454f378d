import { DEFAULT_CONFIG } from '../../../src/config/default-config.ts';
import { readTrigger } from '../../../src/triggers/read-trigger.ts';
import type { Reading } from '../../../src/triggers/reading.ts';
import type { TriggerConfig } from '../../../src/triggers/trigger-config.ts';

export type Json = Record<string, unknown>;

/** Payloads of webhooks with the fields we use, and the readings of them. */
export const config: TriggerConfig = { ...DEFAULT_CONFIG, self: { appId: 7, appSlug: 'dsh', botLogin: 'dsh[bot]' } };
export const person = { id: 2, login: 'octo', type: 'User' };
export const bot = { id: 8, login: 'dsh[bot]', type: 'Bot' };
export const repository = {
  id: 9,
  name: 'r',
  full_name: 'o/r',
  private: false,
  default_branch: 'main',
  owner: { login: 'o' },
};
export const issue = { id: 1, number: 3, title: 'T', body: '', user: person, state: 'open' };
export const pull = {
  id: 1,
  number: 4,
  user: person,
  state: 'open',
  head: { ref: 'f', sha: 'a', repo: { id: 9, full_name: 'o/r' } },
  base: { ref: 'main', sha: 'b', repo: { id: 9, full_name: 'o/r' } },
};
export const said = (body: string | null, more: Json = {}) => ({
  id: 5,
  body,
  user: person,
  author_association: 'NONE',
  html_url: 'https://example.com/c',
  ...more,
});

export function read(name: string, payload: Json, with_: Partial<TriggerConfig> = {}): Reading[] {
  return readTrigger(
    { name, delivery: 'd1', payload: { sender: person, repository, ...payload } as never },
    { ...config, ...with_ },
  );
}

/** A comment by `octo`. */
export function comment(body: string | null, more: Json = {}, payload: Json = {}): Reading[] {
  return read('issue_comment', { action: 'created', issue, comment: said(body, more), ...payload });
}

/** The reading of a comment with one command. */
export function command(body: string, payload: Json = {}): Extract<Reading, { kind: 'command' }> {
  const [reading] = comment(body, {}, payload);
  if (reading?.kind !== 'command') throw new Error(`no command: ${JSON.stringify(reading)}`);
  return reading;
}
