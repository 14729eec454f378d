import type { Config } from '../../../config/config.ts';
import type { TreeChange } from '../../../github/tree/types.ts';
import { detectTestCommands } from './detect-test-commands.ts';
import type { Workplace } from '../../job/job-kind.ts';
import { logNetwork } from '../../job/log-network.ts';
import { proveTests } from './prove-tests.ts';
import { readManifests } from '../../context/read-base-files.ts';
import { verify } from './verify.ts';
import type { RecordedRun, Verification } from './verify.ts';

/** Verifies with the configured commands, else with the base commit's own test command; each run is logged (F2). */
export async function verifyFix(
  workplace: Workplace,
  limits: Config['verify'],
  changes: readonly TreeChange[],
): Promise<Verification> {
  const { ctx, checkout, agent, turn, signal } = workplace;
  const base = { gitDir: checkout.gitDir, sha: checkout.baseSha, signal, mirror: checkout.mirror };
  const commands = limits.commands ?? detectTestCommands(await readManifests(base));
  const record = ({ command, result, onBase, withTests, durationMs }: RecordedRun) => {
    const { exitCode, signal: killedBy, timedOut } = result;
    const facts = { command, exitCode, signal: killedBy, timedOut, onBase, durationMs };
    const lost = result.lost !== undefined && { lost: result.lost };
    agent.session.append('verify/result', { turn, ...facts, ...lost, ...(withTests && { withTests }) });
    logNetwork(ctx, agent.session);
  };
  const policy = ctx.sandboxPolicy.resolve({ session: agent.session });
  const place = {
    bash: ctx.bash,
    policy,
    baseSha: checkout.headSha,
    timeoutMs: limits.timeoutMs,
    signal,
    record,
  };
  const verification = await verify(commands, place);
  const { runs, newFailure, isSandboxGone } = verification;
  if (newFailure || isSandboxGone || !limits.proveTests) return verification;
  return { newFailure, ...(await proveTests(runs, changes, place)) };
}
