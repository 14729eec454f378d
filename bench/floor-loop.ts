import { spawn } from 'node:child_process';
import { once } from 'node:events';
import OpenAI from 'openai';
import { peakMemoryMb } from './peak-memory.ts';

/** The floor of B1: a loop that streams, spawns the command on the host and asks again. No sandbox, no log. */
const client = new OpenAI({ apiKey: 'bench', baseURL: process.argv[2], maxRetries: 0 });
const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: 'user', content: 'go' }];

for (;;) {
  const call = { id: '', name: '', arguments: '' };
  const stream = await client.chat.completions.create({ model: 'bench', messages, stream: true });
  for await (const { choices } of stream) {
    const delta = choices[0]?.delta.tool_calls?.[0];
    if (!delta) continue;
    call.id ||= delta.id ?? '';
    call.name ||= delta.function?.name ?? '';
    call.arguments += delta.function?.arguments ?? '';
  }
  if (call.id === '') break;
  messages.push({
    role: 'assistant',
    tool_calls: [{ id: call.id, type: 'function', function: { name: call.name, arguments: call.arguments } }],
  });
  messages.push({
    role: 'tool',
    tool_call_id: call.id,
    content: await run((JSON.parse(call.arguments) as { command: string }).command),
  });
}
console.log(JSON.stringify({ cpuMs: cpuMs(), rssMb: peakMemoryMb() }));

async function run(command: string): Promise<string> {
  const child = spawn('sh', ['-c', command], { stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  await once(child, 'close');
  return output;
}

function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}
