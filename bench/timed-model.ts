import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * A model server of its own process with no latency: answers every request with one call of `bash`, then text at the
 * end, and writes down how long after each answer the next request came. Prints its port first and the gaps at the end.
 */
const steps = Number(process.argv[2]);
const gaps: number[] = [];
let answered = 0;
let answeredAt: number | undefined;
/** Epoch milliseconds of the first request. */
let firstAt: number | undefined;

const server = createServer((request, response) => {
  let body = '';
  request.setEncoding('utf8');
  request.on('data', (chunk: string) => (body += chunk));
  request.on('end', () => {
    if (request.url === '/stats') return void response.end(JSON.stringify(gaps));
    if (request.url === '/first') return void response.end(JSON.stringify(firstAt));
    firstAt ??= Date.now();
    if (answeredAt !== undefined) gaps.push(performance.now() - answeredAt);
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const event of reply(answered++ < steps)) response.write(`data: ${event}\n\n`);
    response.end('data: [DONE]\n\n');
    answeredAt = performance.now();
  });
});

function* reply(calls: boolean): Generator<string> {
  const chunk = (delta: object, finish: string | null = null) =>
    JSON.stringify({
      id: 'x',
      object: 'chat.completion.chunk',
      created: 1,
      model: 'bench',
      choices: [{ index: 0, delta, finish_reason: finish }],
    });
  if (!calls) {
    yield chunk({ role: 'assistant', content: 'done' });
    return yield chunk({}, 'stop');
  }
  const args = JSON.stringify({ command: 'echo x', description: 'say x' });
  yield chunk({
    role: 'assistant',
    tool_calls: [{ index: 0, id: `call_${answered}`, type: 'function', function: { name: 'bash', arguments: '' } }],
  });
  yield chunk({ tool_calls: [{ index: 0, function: { arguments: args } }] });
  yield chunk({}, 'tool_calls');
}

server.listen(0, '127.0.0.1', () => console.log((server.address() as AddressInfo).port));
process.stdin.on('end', () => process.exit()).resume();
