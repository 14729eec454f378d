import type { Agent } from '../../../harness/agent/types.ts';
import { parseToolArguments } from '../../../harness/tools/parse-tool-arguments.ts';
import type { SessionEvent } from '../../../harness/session/types.ts';
import type { Job } from '../../job/job-kind.ts';

/** Tools that only tell the job what the model found, so that telling it again does nothing else. */
const REPORTS: ReadonlySet<string> = new Set(['submit_result', 'report_finding']);

/**
 * Tells a job that goes on in another process what the model had reported in the turns before (K2). A submission that was
 * sent back once may be sent back once more by a job that does not remember; one after which the model went on is none.
 */
export async function replayReports(job: Job, agent: Agent, events: readonly SessionEvent[]): Promise<void> {
  for (const [at, event] of events.entries()) {
    if (event.type !== 'tool/call' || !REPORTS.has(event.data.name)) continue;
    const after = events.slice(at + 1);
    const result = resultOf(after, event.data.callId);
    if (!result || result.isError) continue;
    await tell(job, agent, event.data);
    if (event.data.name !== 'submit_result') continue;
    if (isAcceptance(result) && !job.isSubmitted) await tell(job, agent, event.data);
    if (after.some(({ type }) => type === 'step/start')) job.takeBack?.();
  }
}

type Call = SessionEvent<'tool/call'>['data'];
type Result = SessionEvent<'tool/result'>['data'];

async function tell(job: Job, agent: Agent, { callId, name, arguments: raw }: Call): Promise<void> {
  const input = { callId, name, arguments: parseToolArguments(raw), agent, signal: new AbortController().signal };
  const tool = job.tools.find((candidate) => candidate.name === name);
  const run = { ...input, token: Symbol(name) as never, deferContext: () => {} };
  // What the job refuses now, it just does not know: the model may report again.
  await tool?.execute(input.arguments, run).catch(() => {});
}

function resultOf(after: readonly SessionEvent[], callId: string): Result | undefined {
  const isIt = (event: SessionEvent): event is SessionEvent<'tool/result'> =>
    event.type === 'tool/result' && event.data.callId === callId;
  return after.find(isIt)?.data;
}

function isAcceptance({ content: [first] }: Result): boolean {
  return first?.type === 'text' && first.text.startsWith('Accepted.');
}
