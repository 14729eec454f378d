import { effectiveSandboxMode, setSandboxMode } from '../sandbox/sandbox-mode.ts';
import type { CaptureOverrides } from './local-provider.ts';

/** A child works under the mode its parent was set to, whatever the deployment's default is. */
export const captureSandboxMode: CaptureOverrides = (parent) => {
  const mode = effectiveSandboxMode(parent.session.events);
  return (child) => {
    if (mode !== undefined) setSandboxMode(child, mode);
  };
};
