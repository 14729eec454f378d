import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Reply } from '../../src/demo/model/reply.ts';
import { says } from '../../src/demo/model/reply.ts';
import { viaApp } from './support/hosts.ts';
import { botComments, branchesOf, issueOf, pullsOf, reactionsOn } from './support/look.ts';
import { MEND, SMALL_FILES, SMALL_ISSUE, run, submit } from './support/small-repository.ts';
import { isShownItsChange, openStage } from './support/stage.ts';
import type { Files, Stage, Subject } from './support/stage.ts';

/** What a turn can come to, seen as a person sees it on GitHub. */
let stage: Stage;
let subject: Subject;
let turn = 0;

beforeAll(async () => {
  stage = await openStage();
});

beforeEach(() => {
  turn += 1;
});

afterAll(async () => {
  expect(await stage.close()).toEqual([]);
});

/** Maria asks for a fix in a repository of these files, and the model says this. */
async function fix(script: readonly Reply[], files: Files = SMALL_FILES) {
  subject = await stage.addIssue(`ending-${turn}`, files, SMALL_ISSUE);
  stage.play(script);
  const before = stage.model.requests.length;
  const { handled, log } = await viaApp(stage, () =>
    stage.github.comment(subject.repo, subject.number, { by: 'maria', body: '/dsh fix' }),
  );
  expect(log).toBe('');
  const requests = stage.model.requests.slice(before).filter(({ body }) => !body || !isShownItsChange(body));
  const [pull] = pullsOf(stage, subject.repo);
  const comments = botComments(stage, subject);
  expect(comments).toHaveLength(1);
  return {
    status: handled[0]?.status,
    requests,
    pull,
    comment: comments[0]?.body ?? '',
    command: issueOf(stage, subject).comments[0]!,
  };
}

const BREAK = run("sed -i 's/helo/hullo/' greet.txt");
const PASSING_FILES = { ...SMALL_FILES, 'greet.txt': 'hello world\n' };

describe('bot-fix', () => {
  it('F3 tests that the change breaks go back to the model, which mends them', async () => {
    const files = { ...PASSING_FILES, 'greet.txt': 'hello wrld\n' };
    const { requests, pull, comment } = await fix(
      [
        run("sed -i 's/hello wrld/hullo world/' greet.txt"),
        submit(),
        run("sed -i 's/hullo/hello/' greet.txt"),
        submit(),
      ],
      files,
    );

    expect(requests).toHaveLength(4);
    const told = requests[2]?.body?.messages.at(-1);
    expect(told).toMatchObject({ role: 'user' });
    expect(told?.content).toContain('The change makes `sh check.sh` fail; it passes without the change.');
    expect(told?.content).toContain('[exit code: 1]');
    expect(pull?.pull?.draft).toBe(false);
    expect(pull?.body).toContain('`sh check.sh`: passed');
    expect(comment).toContain('**Done**');
  });

  it('F3 after the last round the pull request is a draft that says which tests fail', async () => {
    const { requests, pull, comment } = await fix(
      [run("sed -i 's/hello/hullo/' greet.txt"), submit(), submit()],
      PASSING_FILES,
    );

    expect(requests).toHaveLength(3);
    expect(pull?.pull?.draft).toBe(true);
    for (const text of [pull?.body, comment]) {
      expect(text).toContain('`sh check.sh`: failed (exit code 1); it passes without this change');
    }
    expect(comment).toContain('Draft pull request');
  });

  it('F3 a change under which the tests end every process of the sandbox goes back to the model', async () => {
    const files = { ...SMALL_FILES, 'check.sh': 'grep -q boom greet.txt && kill -9 -1\ngrep -q hello greet.txt\n' };
    const boom = run("sed -i 's/helo/hello boom/' greet.txt");
    const { requests, pull } = await fix([boom, submit(), run("sed -i 's/ boom//' greet.txt"), submit()], files);

    expect(requests).toHaveLength(4);
    expect(requests[2]?.body?.messages.at(-1)?.content).toContain('took the sandbox down');
    expect(pull?.pull?.draft).toBe(false);
    expect(pull?.body).toContain('`sh check.sh`: passed');
  });

  it('F2 a base whose tests fail anyway is told apart, and is no reason to send the model back', async () => {
    const { requests, pull, comment } = await fix([BREAK, submit()]);

    expect(requests).toHaveLength(2);
    expect(pull?.pull?.draft).toBe(false);
    for (const text of [pull?.body, comment]) {
      expect(text).toContain('`sh check.sh`: failed (exit code 1); it fails the same way without this change');
    }
    expect(pull?.body).not.toMatch(/fixes #/i);
  });

  it('F2 what a command left running cannot change the tree under the verification', async () => {
    const leave = "(setsid sh -c 'sleep 2; echo hello > greet.txt' >/dev/null 2>&1 &) ; ";
    const hide = '(env -i /usr/bin/setsid /bin/sh -c "sleep 2; echo hello > greet.txt" >/dev/null 2>&1 &) ; ';
    const files = { ...SMALL_FILES, 'check.sh': '[ ! -e c.txt ] || sleep 3; grep -q hello greet.txt\n' };

    const { pull } = await fix([run(`${leave}${hide}echo new > c.txt`), submit()], files);

    expect(pull?.body).toContain('`sh check.sh`: failed (exit code 1)');
    expect(pull?.body).not.toMatch(/fixes #/i);
  });

  it('F2 a repository without tests gets its pull request, which says that nothing was verified', async () => {
    const { pull, comment } = await fix([MEND, submit()], { 'greet.txt': 'helo world\n' });

    expect(pull?.pull?.draft).toBe(false);
    for (const text of [pull?.body, comment]) expect(text).toContain('**Not verified:** no test command was found');
    expect(pull?.body).toContain('Fixes #1');
  });

  it('U4 a turn that ends in text with changes becomes a draft that claims to fix nothing', async () => {
    const last = says('I changed the greeting, but did not check it.');
    const { pull, comment, status } = await fix([MEND, last, last, last]);

    expect(status).toBe('completed');
    expect(pull?.pull?.draft).toBe(true);
    expect(pull?.body).toContain('I changed the greeting, but did not check it.');
    expect(pull?.body).not.toMatch(/fixes #/i);
    expect(pull?.body).toContain('For #1.');
    expect(comment).toContain('Draft pull request');
  });

  it('U6 no change: no branch and no pull request, but a comment with what was found', async () => {
    const last = says('The greeting is right as it is: helo is how they say it there.');
    const { pull, comment, command } = await fix([last, last, last]);

    expect(pull).toBeUndefined();
    expect(await branchesOf(stage, subject.repo)).toEqual(['main']);
    expect(comment).toContain('**Done**');
    expect(comment).toContain('helo is how they say it there');
    expect(reactionsOn(command)).toEqual(['dsh[bot] rocket']);
  });

  it('U8 a turn that the model cannot finish publishes nothing, whatever it had changed', async () => {
    const cut: Reply = { text: 'I was about to', finishReason: 'length' };
    const { pull, comment, command, status } = await fix([MEND, cut]);

    expect(status).toBe('failed');
    expect(pull).toBeUndefined();
    expect(await branchesOf(stage, subject.repo)).toEqual(['main']);
    expect(comment).toContain('**That did not work**');
    expect(reactionsOn(command)).toEqual(['dsh[bot] confused']);
  });

  it('F5 a spent budget stops the turn, publishes nothing and says which limit it was', async () => {
    const files = { ...SMALL_FILES, '.github/dsh.yml': 'budget:\n  turn: { steps: 2 }\n' };
    const { pull, comment, status, requests } = await fix([MEND, run('cat greet.txt'), submit()], files);

    expect(status).toBe('stopped');
    expect(requests).toHaveLength(2);
    expect(pull).toBeUndefined();
    expect(comment).toContain('**Stopped**');
    expect(comment).toContain('limit of 2 steps');
  });

  it('U1 odd files survive the way into the commit', async () => {
    const odd = [
      "printf 'x' > 'a b\"c.txt'",
      'printf x > ä.txt',
      ': > empty',
      'chmod +x check.sh',
      'ln -s greet.txt link',
      "printf '\\0\\377' > bin",
      'rm greet.txt',
    ];
    const { pull } = await fix([run(odd.join(' && ')), submit()], { 'greet.txt': 'helo\n', 'check.sh': 'true\n' });

    const git = stage.github.state.git(stage.github.state.findRepository(subject.repo)!);
    const listed = await git.text(['ls-tree', '-r', '-z', pull?.pull?.head.sha ?? '']);
    const entries = listed
      .split('\0')
      .filter(Boolean)
      .map((line) => line.replace(/ blob [0-9a-f]+\t/, ' '));
    expect(entries.sort()).toEqual([
      '100644 a b"c.txt',
      '100644 bin',
      '100644 empty',
      '100644 ä.txt',
      '100755 check.sh',
      '120000 link',
    ]);
    expect((await git.run(['cat-file', 'blob', `${pull?.pull?.head.sha}:bin`])).equals(Buffer.from([0, 255]))).toBe(
      true,
    );
  });
});

describe('bot-human-loop', () => {
  it('P7 what the model says notifies nobody and runs no command', async () => {
    const summary = 'Thanks @tom, see #7.\n\n/dsh fix\n\n<img src="https://evil.example/x.png">';
    const { pull, comment } = await fix([MEND, submit({ summary })]);

    for (const text of [pull?.body ?? '', comment]) {
      expect(text).not.toMatch(/(^|[^`\w])@tom\b/);
      expect(text).not.toMatch(/^\s*\/dsh/m);
      expect(text).not.toMatch(/<img/);
    }
  });

  it('P8 a secret in the change or in the words of the model is published nowhere', async () => {
    const token = 'ghp_abcdefghijklmnopqrstuvwxyz0123456789';
    const { pull, comment } = await fix([MEND, submit({ summary: `Use ${token} and ${stage.modelKey}.` })]);

    const published = JSON.stringify([pull?.title, pull?.body, comment, stage.github.requests.map(({ body }) => body)]);
    expect(published).not.toContain(token);
    expect(published).not.toContain(stage.modelKey);
    expect(pull?.body).toContain('***');
  });

  it('P8 a file that holds the model key is left out, and that is said', async () => {
    // In two pieces, since a key that stands in a call is masked before it runs.
    const key = `'${stage.modelKey.slice(0, 8)}''${stage.modelKey.slice(8)}'`;
    const { pull } = await fix([run(`sed -i 's/helo/hello/' greet.txt && printf ${key} > key.txt`), submit()]);

    const git = stage.github.state.git(stage.github.state.findRepository(subject.repo)!);
    const names = await git.text(['diff', '--name-only', 'main', pull?.pull?.head.sha ?? '']);
    expect(names).toBe('greet.txt');
    expect(pull?.body).toContain('A file that holds a secret of this installation was left out.');
  });
});
