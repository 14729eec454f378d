import { appManifest } from './app-manifest.ts';

export interface SetupPage {
  /** Text of `app.yml`. */
  readonly appFile: string;
  /** Where GitHub's own pages are. */
  readonly serverUrl: string;
  /** At which GitHub and people reach this server. */
  readonly origin: string;
  /** Comes back with the code. */
  readonly state: string;
  /** Registers it there instead of for the person. */
  readonly organization: string | null;
}

/** The page whose one button sends the manifest to GitHub. Pure. */
export function setupPage({ appFile, serverUrl, origin, state, organization }: SetupPage): string {
  const owner = organization ? `/organizations/${encodeURIComponent(organization)}` : '';
  const action = `${serverUrl}${owner}/settings/apps/new?state=${state}`;
  const manifest = JSON.stringify(appManifest(appFile, origin));
  return `<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Register dsh</title>
<h1>Register dsh as a GitHub App</h1>
<p>GitHub will send webhooks to <code>${escape(origin)}</code>: open this page at an address that GitHub reaches.
For an organization add <code>?organization=name</code>.</p>
<form action="${escape(action)}" method="post">
<input type="hidden" name="manifest" value="${escape(manifest)}">
<button>Register GitHub App</button>
</form>
</html>
`;
}

function escape(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
