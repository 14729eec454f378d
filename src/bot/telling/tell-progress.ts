import type { AgentSetup } from '../job/set-up-agent.ts';
import '../../seams/compaction/types.ts';
import '../session/session-events.ts';

/** Tells the surface what happens, as it happens. */
export function tellProgress({ agentCtx, progress, view }: Pick<AgentSetup, 'agentCtx' | 'progress' | 'view'>): void {
  agentCtx.on('session/event', (_session, event) => {
    if (event.type === 'tool/call') progress.changed(view.describeCall(event.data.name, event.data.arguments));
    else if (event.type === 'todo/write' || event.type === 'step/end') progress.changed();
    else if (event.type === 'compact/start') progress.changed('condensing the history');
    else if (event.type === 'verify/result') {
      const { command, exitCode, onBase, withTests } = event.data;
      const where = withTests ? ' of the changed tests on the base' : onBase ? ' on the base' : '';
      progress.changed(`verify${where}: ${command} → exit code ${exitCode ?? 'none'}`);
    }
  });
}
