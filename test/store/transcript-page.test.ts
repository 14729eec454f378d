import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it, test } from '@jest/globals';
import { SessionId } from '../../src/harness/session/types.ts';
import type { SessionEvent } from '../../src/harness/session/types.ts';
import { TRANSCRIPT_POLICY, transcriptPage } from '../../src/store/transcript-page.ts';
import { appendRaw, call, LogWriter, text } from '../harness/session/session-fixture.ts';
import { headerOf } from './contract-storage.ts';

const ATTACKS = [
  '<script>document.title="owned"</script>',
  '</style><script>document.title="owned"</script>',
  '<img src="http://HOST/stolen" onerror="document.title=\'owned\'">',
  '"><svg onload=alert(1)>',
  '</div></section><iframe src="http://HOST/stolen"></iframe>',
  '</title><link rel="stylesheet" href="http://HOST/stolen">',
  '<meta http-equiv="refresh" content="0;url=http://HOST/stolen">',
  '<form action="http://HOST/stolen"><button>x</button></form>',
  '&lt;b&gt; & <!-- open',
  '\u202eevil\u2066',
];

function hostileLog(host = 'HOST'): readonly SessionEvent[] {
  const attack = ATTACKS.join('\n').replaceAll('HOST', host);
  const log = new LogWriter().startTurn().prompt(attack).context(attack).startStep();
  log.answer(...text(attack), call('c1', `x"><script>1</script>`));
  appendRaw(log.session, 'tool/call', {
    turn: 1,
    step: 1,
    callId: 'c1',
    name: `x"><script>1</script>`,
    arguments: JSON.stringify({ a: attack }),
  });
  log.endCall('c1', attack);
  log.endStep().endTurn({ kind: 'error', step: 1, message: attack });
  return log.session.events;
}

const page = (events = hostileLog(), more = {}) =>
  transcriptPage({ header: headerOf('gh-1-2-1'), events, title: ATTACKS.join(' '), ...more });

describe('persistence', () => {
  test('a transcript page shows what was said as text: nothing of it is markup', () => {
    const html = page();

    expect([...new Set(html.match(/<\/?([a-z0-9]+)/g))].sort()).toEqual(
      [
        'html',
        'head',
        'meta',
        'title',
        'style',
        'body',
        'header',
        'h1',
        'p',
        'main',
        'h2',
        'h3',
        'small',
        'time',
        'section',
        'div',
        'details',
        'summary',
        'pre',
      ]
        .flatMap((name) => (name === 'meta' ? [`<${name}`] : [`<${name}`, `</${name}`]))
        .sort(),
    );
    expect(html).not.toMatch(/[\u202e\u2066]/);
    expect(html).toContain('⟨U+202E⟩evil⟨U+2066⟩');
    expect(html).toContain('&amp;lt;b&amp;gt; &amp; &lt;!-- open');
    expect(html).toContain(`content="${TRANSCRIPT_POLICY}"`);
    expect(TRANSCRIPT_POLICY).toMatch(
      /^default-src 'none'; style-src 'sha256-[\w+/=]+'; base-uri 'none'; form-action 'none'$/,
    );
  });

  test('a transcript page holds no secret, also where it is in a title, an argument or a reason', () => {
    const log = new LogWriter().startTurn().prompt('the-secret').startStep();
    log.answer(call('c1')).startCall('c1').endCall('c1', 'the-secret').endStep();
    log.endTurn({ kind: 'rejected', reason: 'the-secret' });
    const html = page(log.session.events, {
      title: 'the-secret',
      redact: (given: string) => given.replaceAll('the-secret', '***'),
    });
    expect(html).not.toContain('the-secret');
  });

  test('a transcript page nests child agents where they were started, and says where a log is missing', () => {
    const log = new LogWriter().startTurn().prompt('go');
    for (const session of ['here', 'gone']) {
      appendRaw(log.session, 'subagent/started', {
        turn: 1,
        runId: session,
        provider: 'spawn',
        session,
        label: `<${session}>`,
      });
    }
    const child = new LogWriter().shortTurn('find it', 'found it').session.events;
    const html = page(log.session.events, { children: new Map([[SessionId('here'), child]]) });

    expect(html).toMatch(/<details class="child"><summary>Child agent: &lt;here&gt;[\s\S]*found it[\s\S]*<\/details>/);
    expect(html).toContain('Its log is not at hand.');
    expect(page([])).toContain('This session has no events.');
  });

  const chromium = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find((path) =>
    existsSync(path),
  );
  const inBrowser = chromium ? it : it.skip;

  inBrowser(
    `a browser runs, fetches and styles nothing that a session said${chromium ? '' : ' (skipped: no Chromium in /usr/bin; apt-get install chromium)'}`,
    async () => {
      const asked: string[] = [];
      const server = createServer((request, response) => {
        asked.push(request.url!);
        const { port } = server.address() as AddressInfo;
        response.setHeader('content-type', 'text/html; charset=utf-8');
        response.end(request.url === '/page' ? page(hostileLog(`127.0.0.1:${port}`)) : 'stolen');
      });
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      const profile = await mkdtemp(join(tmpdir(), 'dsh-chromium-'));
      try {
        const { port } = server.address() as AddressInfo;
        const { stdout } = await promisify(execFile)(
          chromium!,
          [
            '--headless',
            '--no-sandbox',
            '--disable-gpu',
            '--disable-background-networking',
            `--user-data-dir=${profile}`,
          ].concat(['--virtual-time-budget=2000', '--dump-dom', `http://127.0.0.1:${port}/page`]),
          { timeout: 60_000, maxBuffer: 16 * 1024 * 1024 },
        );
        expect(stdout).toContain('<h1 dir="auto">');
        expect(stdout).not.toMatch(/<script|<iframe|<img|<svg|<form|<link/);
        expect(stdout).toContain('<title>&lt;script&gt;');
        expect(asked.filter((url) => url !== '/favicon.ico')).toEqual(['/page']);
      } finally {
        server.close();
        await rm(profile, { recursive: true, force: true, maxRetries: 5 });
      }
    },
    90_000,
  );
});
