import type { Hub } from '../hub.ts';
import type { Account, App, Installation } from '../records.ts';
import { timestamp } from './timestamp.ts';

/** An account as it appears inside other objects. */
export function accountView(hub: Hub, { id, login, type }: Account) {
  const url = `${hub.apiUrl}/users/${encodeURIComponent(login)}`;
  return {
    login,
    id,
    node_id: `U_${id}`,
    avatar_url: `${hub.url}/avatars/${id}`,
    gravatar_id: '',
    url,
    html_url: `${hub.url}/${type === 'Bot' ? `apps/${login.replace(/\[bot\]$/, '')}` : login}`,
    followers_url: `${url}/followers`,
    following_url: `${url}/following{/other_user}`,
    gists_url: `${url}/gists{/gist_id}`,
    starred_url: `${url}/starred{/owner}{/repo}`,
    subscriptions_url: `${url}/subscriptions`,
    organizations_url: `${url}/orgs`,
    repos_url: `${url}/repos`,
    events_url: `${url}/events{/privacy}`,
    received_events_url: `${url}/received_events`,
    type,
    user_view_type: 'public',
    site_admin: false,
  };
}

/** An account asked for by itself. */
export function profileView(hub: Hub, account: Account) {
  const empty = {
    company: null,
    blog: '',
    location: null,
    email: null,
    hireable: null,
    bio: null,
    twitter_username: null,
  };
  const counts = { public_repos: 0, public_gists: 0, followers: 0, following: 0 };
  const times = { created_at: timestamp(account.createdAt), updated_at: timestamp(account.createdAt) };
  return { ...accountView(hub, account), name: account.name, ...empty, ...counts, ...times };
}

export function appView(hub: Hub, app: App) {
  return {
    id: app.id,
    client_id: `Iv1.${app.id}`,
    slug: app.slug,
    node_id: `A_${app.id}`,
    name: app.name,
    description: '',
    owner: accountView(hub, app.owner),
    external_url: hub.url,
    html_url: `${hub.url}/apps/${app.slug}`,
    created_at: timestamp(app.createdAt),
    updated_at: timestamp(app.createdAt),
    permissions: app.permissions,
    events: app.events,
    installations_count: hub.installations.length,
  };
}

export function installationView(hub: Hub, installation: Installation) {
  const { id, account, permissions, createdAt, suspendedAt } = installation;
  return {
    id,
    app_id: hub.app.id,
    app_slug: hub.app.slug,
    client_id: `Iv1.${hub.app.id}`,
    target_id: account.id,
    target_type: account.type === 'Organization' ? 'Organization' : 'User',
    account: accountView(hub, account),
    single_file_name: null,
    has_multiple_single_files: false,
    single_file_paths: [],
    repository_selection: 'all',
    permissions,
    events: hub.app.events,
    access_tokens_url: `${hub.apiUrl}/app/installations/${id}/access_tokens`,
    repositories_url: `${hub.apiUrl}/installation/repositories`,
    html_url: `${hub.url}/settings/installations/${id}`,
    created_at: timestamp(createdAt),
    updated_at: timestamp(createdAt),
    suspended_at: suspendedAt && timestamp(suspendedAt),
    suspended_by: suspendedAt ? accountView(hub, account) : null,
  };
}
