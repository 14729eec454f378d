import type { Context, Plugin } from '../harness/kernel/context.ts';
import type { SessionEvent } from '../harness/session/types.ts';
import { describeCall } from '../bot/telling/describe-call.ts';
import '../bot/session/session-events.ts';
import '../harness/session/session-store.ts';

/** Says what happens in a session as it happens. */
export function storyTeller(say: (line: string) => void): Plugin<void> {
  return {
    name: 'story-teller',
    apply: (ctx: Context) => {
      ctx.on('session/event', (_session, event) => {
        const line = tell(event);
        if (line) say(line);
      });
    },
  };
}

function tell(event: SessionEvent): string | undefined {
  switch (event.type) {
    case 'turn/start':
      return `turn ${event.data.turn} begins`;
    case 'tool/call':
      return `  ${describeCall(event.data.name, event.data.arguments)}`;
    case 'tool/result':
      return event.data.isError ? `    ${firstLine(event)}` : undefined;
    case 'verify/result':
      return `verified with \`${event.data.command}\`${event.data.withTests ? ' of the changed tests on the base' : event.data.onBase ? ' on the base' : ''}: exit code ${event.data.exitCode ?? 'none'}`;
    case 'publish/done':
      return `published ${event.data.what} ${event.data.url}`;
    case 'turn/end':
      return `turn ${event.data.turn} ends: ${event.data.reason.kind}`;
    default:
      return undefined;
  }
}

function firstLine(event: SessionEvent<'tool/result'>): string {
  const [block] = event.data.content;
  return block?.type === 'text' ? (block.text.split('\n')[0] ?? '').slice(0, 160) : '';
}
