import { parse } from 'yaml';

/**
 * The manifest that GitHub registers an App from, for a server that is reached at `origin`: `app.yml` with the addresses of
 * this server. Pure. https://docs.github.com/apps/sharing-github-apps/registering-a-github-app-from-a-manifest
 */
export function appManifest(appFile: string, origin: string): Readonly<Record<string, unknown>> {
  return {
    ...(parse(appFile) as Record<string, unknown>),
    hook_attributes: { url: `${origin}/api/github/webhooks` },
    redirect_url: `${origin}/probot/setup`,
    callback_urls: [`${origin}/login/callback`],
  };
}
