import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface KeepingModel {
  readonly url: string;
  /** Every body as it came, byte for byte. */
  readonly bodies: readonly Buffer[];
  close(): void;
}

/** A model server that keeps what it is sent: the first requests call tools in turn, well and badly; the rest end. */
export async function startKeepingModel(steps: number): Promise<KeepingModel> {
  const bodies: Buffer[] = [];
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      bodies.push(Buffer.concat(parts));
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      for (const delta of bodies.length <= steps ? callAt(bodies.length) : [{ content: 'done' }]) {
        response.write(`data: ${chunk(delta)}\n\n`);
      }
      response.write(`data: ${chunk({}, bodies.length <= steps ? 'tool_calls' : 'stop')}\n\n`);
      response.end('data: [DONE]\n\n');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  return { url, bodies, close: () => void (server.closeAllConnections(), server.close()) };
}

const CALLS: readonly (readonly [string, object])[] = [
  ['bash', { command: 'echo x', description: 'say x' }],
  ['read', { file_path: '/workspace/a.txt' }],
  ['bash', { command: 'exit 3', description: 'fail' }],
  ['todo_write', { todos: [{ content: 'look', status: 'in_progress' }] }],
  ['no_such_tool', {}],
];

function callAt(step: number): object[] {
  const [name, args] = CALLS[step % CALLS.length]!;
  return [
    {
      role: 'assistant',
      tool_calls: [{ index: 0, id: `call_${step}`, type: 'function', function: { name, arguments: '' } }],
    },
    { tool_calls: [{ index: 0, function: { arguments: JSON.stringify(args) } }] },
  ];
}

function chunk(delta: object, finish: string | null = null): string {
  const choices = [{ index: 0, delta, finish_reason: finish }];
  return JSON.stringify({ id: 'x', object: 'chat.completion.chunk', created: 1, model: 'bench', choices });
}
