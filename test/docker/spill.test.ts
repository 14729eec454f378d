import { mkdtemp, readFile, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CallId } from '../../src/harness/llm/types.ts';
import { defineTool } from '../../src/harness/tools/define-tool.ts';
import type { Room } from '../../src/bot/job/room.ts';
import { Redactor } from '../../src/publish/redact.ts';
import { ScriptedModel } from '../support/scripted-model.ts';
import { openTestRoom } from './support/open-test-room.ts';
import { makeTree } from './support/sandbox-bench.ts';

const SECRET = 'hunter2-hunter2-hunter2';
const INLINE_BYTES = 24 * 1024;
const LINES = 40_000;
/** 2 MB of numbered lines; line 20000 holds a secret. */
const LONG = Array.from({ length: LINES }, (_, n) => `line ${n} ${n === 20_000 ? SECRET : 'x'.repeat(40)}`).join('\n');

/** Sessions as the product opens them, with real containers, on one data directory. */
class Rooms {
  readonly folder: string;
  readonly problems: unknown[] = [];
  #calls = 0;

  constructor(folder: string) {
    this.folder = folder;
  }

  static async open(): Promise<Rooms> {
    return new Rooms(await mkdtemp(join(tmpdir(), 'dsh-room-')));
  }

  get spillRoot(): string {
    return join(this.folder, 'spill');
  }

  async room(session: string): Promise<Room> {
    const tree = await makeTree({ 'a.txt': 'a\n' });
    const room = await openTestRoom({
      ...{ folder: this.folder, tree, session, model: new ScriptedModel() },
      options: { setUp: (agentCtx) => void agentCtx.tools.register(longTool) },
      parts: {
        redactor: new Redactor([SECRET]),
        log: (message, error) => void this.problems.push([message, error]),
      },
    });
    return { ...room, close: async () => (await room.close(), await rm(tree, { recursive: true, force: true })) };
  }

  /** Text of a tool's result, which must be a success. */
  async call({ ctx, handle }: Room, name: string, args: unknown): Promise<string> {
    const callId = CallId(`call-${(this.#calls += 1)}`);
    const { signal } = new AbortController();
    const result = await ctx.tools.execute({ callId, name, arguments: args, agent: handle.agent, signal });
    const text = result.content.map((block) => (block.type === 'text' ? block.text : '')).join('\n');
    if (result.isError) throw new Error(text);
    return text;
  }

  /** Paths below the root, of files only. */
  async files(): Promise<string[]> {
    const all = await readdir(this.spillRoot, { recursive: true, withFileTypes: true });
    return all.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  }
}

const longTool = defineTool({
  name: 'long',
  description: 'Returns a long text.',
  parameters: {},
  execute: async () => [{ type: 'text', text: LONG }],
});

const spillPath = (text: string) => /\/dsh\/spill\/[^\s.\]]+\.txt/.exec(text)![0];

let rooms: Rooms;
let room: Room;
beforeAll(async () => {
  rooms = await Rooms.open();
  room = await rooms.room('gh-1-7-1');
});
afterAll(async () => {
  await room.close();
  await rm(rooms.folder, { recursive: true, force: true });
});

describe('spill', () => {
  it('SP1 SP2 read and grep open, in the same container, what a command printed too much of', async () => {
    const shown = await rooms.call(room, 'bash', { command: 'seq 1 180000', description: 'count' });
    const path = spillPath(shown);

    const read = await rooms.call(room, 'read', { file_path: path, offset: 90_000, limit: 2 });
    const found = await rooms.call(room, 'grep', { pattern: '^12345[67]$', path });

    expect(shown.length).toBeLessThan(17 * 1024);
    expect(shown).toMatch(/^1\n2\n.*\n\[\.\.\. \d+ bytes omitted \.\.\.\]\n.*\n180000\n\[output truncated/s);
    expect(read).toContain('90000: 90000\n90001: 90001\n');
    expect(read).toContain('of 180000');
    expect(found).toMatch(/Found 2 matches[\s\S]*Line 123456: 123456\n.*Line 123457: 123457/);
  });

  it('SP11 SP12 read and grep open what the policy put in the place of a long result', async () => {
    const shown = await rooms.call(room, 'long', {});
    const path = spillPath(shown);

    const read = await rooms.call(room, 'read', { file_path: path, offset: 30_001, limit: 1 });
    const found = await rooms.call(room, 'grep', { pattern: '^line 3999[89] ', path });

    expect(Buffer.byteLength(shown)).toBeLessThanOrEqual(INLINE_BYTES);
    expect(read).toContain('30001: line 30000 xx');
    expect(found).toContain('Found 2 matches');
  });

  it('SP5 a command can read what was stored, and neither change nor remove it', async () => {
    const path = spillPath(await rooms.call(room, 'long', {}));
    const command = `wc -l < ${path}; echo x >> ${path}; rm ${path}; touch ${path}.new`;

    const shown = await rooms.call(room, 'bash', { command, description: 'try' });

    expect(shown).toMatch(new RegExp(`^${LINES - 1}\n`));
    expect(shown.match(/Read-only file system/g)).toHaveLength(3);
  });

  it('SP5 files and directories are for their owner only, who is the user of the container', async () => {
    await rooms.call(room, 'long', {});
    await rooms.call(room, 'bash', { command: 'seq 1 50000', description: 'count' });

    const files = await Promise.all((await rooms.files()).map((path) => stat(path)));
    const folder = await stat(join(rooms.spillRoot, 'gh-1-7-1'));

    expect(new Set(files.map(({ mode, uid }) => [mode & 0o777, uid].join()))).toEqual(
      new Set([[0o600, folder.uid].join()]),
    );
    expect(folder.mode & 0o777).toBe(0o700);
  });

  it('SP1 known secrets are in neither kind of file', async () => {
    const command = `seq 1 20000; printf '%s' ${SECRET.slice(0, 9)}; sleep 0.3; echo ${SECRET.slice(9)}; seq 1 20000`;
    const printed = spillPath(await rooms.call(room, 'bash', { command, description: 'print' }));
    const returned = spillPath(await rooms.call(room, 'long', {}));

    const texts = await Promise.all((await rooms.files()).map((path) => readFile(path, 'utf8')));

    expect(texts.join('')).not.toContain(SECRET);
    expect(await rooms.call(room, 'read', { file_path: printed, offset: 20_001, limit: 1 })).toContain('20001: ***\n');
    expect(await rooms.call(room, 'read', { file_path: returned, offset: 20_001, limit: 1 })).toContain(
      'line 20000 ***',
    );
  });

  it('SP7 a later job of the session opens what an earlier one stored; another session does not', async () => {
    const first = await rooms.room('gh-1-8-1');
    const path = spillPath(await rooms.call(first, 'long', {}));
    await first.close();

    const later = await rooms.room('gh-1-8-1');
    const read = await rooms.call(later, 'read', { file_path: path, limit: 1 });
    await later.close();

    expect(read).toContain('1: line 0 ');
    await expect(rooms.call(room, 'read', { file_path: path })).rejects.toThrow(/does not exist/);
  });
});

describe('cases', () => {
  it('N11 a flood keeps its head and tail, memory stays flat, and no half of it is offered as the whole', async () => {
    const before = process.memoryUsage().rss;
    const command = 'echo begin; yes | head -c 500000000; echo end';

    const shown = await rooms.call(room, 'bash', { command, description: 'flood' });

    expect(shown).toMatch(/^begin\ny\ny\n[\s\S]*y\nend\n\[output truncated; full output: \(unavailable\)\]$/);
    expect(Buffer.byteLength(shown)).toBeLessThan(INLINE_BYTES);
    expect(process.memoryUsage().rss - before).toBeLessThan(400 * 1024 ** 2);
  }, 120_000);

  it('N11 one line of 50 MB and binary output lie whole at their path', async () => {
    const line = "head -c 50000000 /dev/zero | tr '\\0' x; echo; echo end";
    const bytes = 'seq 1 60000 | gzip -n | tee /tmp/x.gz | cat; echo; seq 1 20000';

    const longLine = spillPath(await rooms.call(room, 'bash', { command: line, description: 'one line' }));
    const binary = spillPath(await rooms.call(room, 'bash', { command: bytes, description: 'binary' }));
    const check = `wc -c < ${longLine}; cmp -n $(stat -c %s /tmp/x.gz) ${binary} /tmp/x.gz && echo same`;

    expect(await rooms.call(room, 'bash', { command: check, description: 'compare' })).toBe('50000005\nsame');
    expect(await rooms.call(room, 'read', { file_path: longLine, offset: 2 })).toContain('2: end');
  }, 60_000);
});
