import type { Config } from '../config/config.ts';
import { detectTestCommands } from './detect-test-commands.ts';
import type { Workplace } from './job-kind.ts';
import { logNetwork } from './log-network.ts';
import { readManifests } from './read-base-files.ts';
import { verify } from './verify.ts';
import type { RecordedRun, Verification } from './verify.ts';

/** Verifies with the configured commands, else with the base commit's own test command; each run is logged (F2). */
export async function verifyFix(workplace: Workplace, limits: Config['verify']): Promise<Verification> {
  const { ctx, checkout, agent, turn, signal } = workplace;
  const base = { gitDir: checkout.gitDir, sha: checkout.baseSha, signal };
  const commands = limits.commands ?? detectTestCommands(await readManifests(base));
  const record = ({ command, result, onBase, durationMs }: RecordedRun) => {
    const { exitCode, signal: killedBy, timedOut } = result;
    agent.session.append('verify/result', { turn, command, exitCode, signal: killedBy, timedOut, onBase, durationMs });
    logNetwork(ctx, agent.session);
  };
  const policy = ctx.sandboxPolicy.resolve({ session: agent.session });
  return verify(commands, {
    bash: ctx.bash,
    policy,
    baseSha: checkout.headSha,
    timeoutMs: limits.timeoutMs,
    signal,
    record,
  });
}
