import { execFileSync } from 'node:child_process';
import { homedir } from 'node:os';
import { describe, expect, it } from '@jest/globals';
import { UnshareProvider } from '../../support/unshare-provider.ts';
import { runSandboxProviderContract } from './run-sandbox-provider-contract.ts';

/** A root user may still lack the right, in a container for one. */
function mayMakeNamespaces(): boolean {
  try {
    const { argv } = new UnshareProvider().confine(['true'], { mode: 'read-only', workspaceRoot: '/' });
    execFileSync(argv[0]!, argv.slice(1), { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

if (mayMakeNamespaces()) runSandboxProviderContract(new UnshareProvider(), homedir);

describe('sandbox', () => {
  it('B5 a provider that cannot confine throws, and never passes a command through', () => {
    const getuid = process.getuid;
    process.getuid = () => 1_000;
    try {
      expect(() => new UnshareProvider().confine(['true'], { mode: 'read-only', workspaceRoot: '/' })).toThrow(
        expect.objectContaining({ code: 'SANDBOX_UNAVAILABLE' }),
      );
    } finally {
      process.getuid = getuid!;
    }
  });
});
