import { fullNameOf, issuesOf, type Hub } from '../hub.ts';
import type { Repository } from '../records.ts';
import { accountView } from './account.ts';
import { timestamp } from './timestamp.ts';

/** A repository as responses and webhook payloads carry it. */
export function repositoryView(hub: Hub, repository: Repository) {
  const { id, name, owner, description, fork, defaultBranch, archived, disabled } = repository;
  const fullName = fullNameOf(repository);
  const openIssues = issuesOf(repository).filter(({ state }) => state === 'open').length;
  return {
    id,
    node_id: `R_${id}`,
    name,
    full_name: fullName,
    owner: accountView(hub, owner),
    private: repository.private,
    html_url: `${hub.url}/${fullName}`,
    description,
    fork,
    ...urls(`${hub.apiUrl}/repos/${fullName}`),
    git_url: `git:${hub.url.slice(5)}/${fullName}.git`,
    ssh_url: `git@localhost:${fullName}.git`,
    clone_url: `${hub.url}/${fullName}.git`,
    svn_url: `${hub.url}/${fullName}`,
    mirror_url: null,
    homepage: null,
    size: repository.sizeKb,
    stargazers_count: 0,
    watchers_count: 0,
    language: null,
    license: null,
    topics: [],
    has_issues: true,
    has_projects: true,
    has_downloads: true,
    has_wiki: true,
    has_pages: false,
    has_discussions: false,
    forks_count: 0,
    archived,
    disabled,
    open_issues_count: openIssues,
    visibility: repository.private ? 'private' : 'public',
    forks: 0,
    open_issues: openIssues,
    watchers: 0,
    default_branch: defaultBranch,
    allow_forking: true,
    is_template: false,
    web_commit_signoff_required: false,
    custom_properties: {},
    allow_squash_merge: true,
    allow_merge_commit: true,
    allow_rebase_merge: true,
    delete_branch_on_merge: false,
    created_at: timestamp(repository.createdAt),
    updated_at: timestamp(repository.updatedAt),
    pushed_at: timestamp(repository.pushedAt),
  };
}

/** A repository asked for by itself. */
export function fullRepositoryView(hub: Hub, repository: Repository) {
  const parent = repository.parent
    ? { parent: repositoryView(hub, repository.parent), source: repositoryView(hub, repository.parent) }
    : {};
  return { ...repositoryView(hub, repository), network_count: 0, subscribers_count: 0, ...parent };
}

const suffixes = {
  forks: '/forks',
  keys: '/keys{/key_id}',
  collaborators: '/collaborators{/collaborator}',
  teams: '/teams',
  hooks: '/hooks',
  issue_events: '/issues/events{/number}',
  events: '/events',
  assignees: '/assignees{/user}',
  branches: '/branches{/branch}',
  tags: '/tags',
  blobs: '/git/blobs{/sha}',
  git_tags: '/git/tags{/sha}',
  git_refs: '/git/refs{/sha}',
  trees: '/git/trees{/sha}',
  statuses: '/statuses/{sha}',
  languages: '/languages',
  stargazers: '/stargazers',
  contributors: '/contributors',
  subscribers: '/subscribers',
  subscription: '/subscription',
  commits: '/commits{/sha}',
  git_commits: '/git/commits{/sha}',
  comments: '/comments{/number}',
  issue_comment: '/issues/comments{/number}',
  contents: '/contents/{+path}',
  compare: '/compare/{base}head',
  merges: '/merges',
  archive: '/{archive_format}{/ref}',
  downloads: '/downloads',
  issues: '/issues{/number}',
  pulls: '/pulls{/number}',
  milestones: '/milestones{/number}',
  notifications: '/notifications{?since,all,participating}',
  labels: '/labels{/name}',
  releases: '/releases{/id}',
  deployments: '/deployments',
};

function urls(url: string): Record<string, string> {
  return {
    url,
    ...Object.fromEntries(Object.entries(suffixes).map(([name, suffix]) => [`${name}_url`, url + suffix])),
  };
}
