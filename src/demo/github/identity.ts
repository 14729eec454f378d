import type { Hub } from './hub.ts';
import type { Account } from './records.ts';

/** The address GitHub writes into commits of someone who keeps theirs private. */
export const noreplyAddress = (hub: Hub, { id, login }: Account) =>
  `${id}+${login}@users.noreply.${new URL(hub.url).hostname}`;

export const identityOf = (hub: Hub, account: Account) => ({
  name: account.name ?? account.login,
  email: noreplyAddress(hub, account),
});

/** Who GitHub says committed what it made itself. */
export const webFlow = { name: 'GitHub', email: 'noreply@github.com' };
