import { describe, expect, it } from '@jest/globals';
import { DEFAULT_CONFIG } from '../../src/config/default-config.ts';
import { decide } from '../../src/triggers/decide.ts';
import type { Facts, OpenRequest } from '../../src/triggers/intake.ts';
import type { Reading } from '../../src/triggers/reading.ts';
import { factsOf } from './support/facts.ts';
import { bot, command, comment, issue, person, pull, read, repository, said } from './support/payloads.ts';

const decided = (reading: Reading | undefined, facts: Partial<Facts> = {}) =>
  decide(reading!, factsOf(facts), DEFAULT_CONFIG);
const running = { cause: 'comment-1', startedBy: { id: 2, login: 'octo' } };
const renovate = { id: 60, login: 'renovate[bot]', type: 'Bot' };
const question = (changed: Partial<OpenRequest> = {}): OpenRequest => ({
  id: 'q_1',
  kind: 'question',
  askedOf: { id: 2 },
  askedAt: 0,
  text: 'Which database should it be?\nPostgres\nSQLite',
  cause: 'comment-1',
  ...changed,
});

describe('bot-triggers', () => {
  it.each([
    ['/dsh fix', 'turn'],
    ['/dsh plan', 'turn'],
    ['/dsh ask why?', 'turn'],
    ['/dsh goal all tests pass', 'turn'],
    ['/dsh goal resume', 'turn'],
    ['/dsh retry', 'turn'],
    ['/dsh goal', 'command'],
    ['/dsh goal pause', 'command'],
    ['/dsh goal edit fewer tests', 'command'],
    ['/dsh help', 'command'],
    ['/dsh status', 'command'],
    ['/dsh stop', 'command'],
    ['/dsh model a/b', 'command'],
    ['/dsh budget', 'command'],
    ['/dsh title x', 'command'],
    ['/dsh log', 'command'],
    ['/dsh compact', 'command'],
    ['/dsh forget --delete', 'command'],
    ['/dsh undo', 'command'],
    ['/dsh config', 'command'],
  ])('T3 %s becomes a %s', (body, kind) => {
    expect(decided(command(body)).kind).toBe(kind);
  });

  it.each(['fix', 'ask', 'plan', 'goal', 'say', 'deny', 'answer'])(
    'T3 the text of %s runs to the next command or the end',
    (name) => {
      const [first, second] = comment(`/dsh ${name} one\n\ntwo\n\n/dsh help`);

      expect(first).toMatchObject({ command: { name, text: 'one\n\ntwo' } });
      expect(second).toMatchObject({ command: { name: 'help' } });
    },
  );

  it.each(['review', 'title', 'model', 'budget', 'approve'])('T3 %s takes the rest of its line', (name) => {
    expect(command(`/dsh ${name} one\ntwo`)).toMatchObject({ command: { name, text: 'one' } });
  });

  it('T3 what cannot be done is said in the language of the settings, else in that of the person', () => {
    expect(comment('/dsh fixx 修改问候语')[0]).toMatchObject({ reply: '没有命令 `fixx`。是不是 `/dsh fix`？' });
    expect(comment('/dsh fixx the greeting')[0]).toMatchObject({ reply: expect.stringContaining('Did you mean') });
    const payload = { action: 'created', issue, comment: said('/dsh fixx') };
    expect(read('issue_comment', payload, { language: 'zh' })[0]).toMatchObject({
      reply: expect.stringContaining('没有命令'),
    });
    expect(decide(command('/dsh approve'), factsOf(), { ...DEFAULT_CONFIG, language: 'zh' })).toMatchObject({
      text: '这里没有等待回答的请求。',
    });
  });

  it('T3 a mention without a command is said to the session', () => {
    expect(command('@dsh use the other branch\nplease')).toMatchObject({
      command: { name: 'say', text: 'use the other branch\nplease' },
    });
    expect(command('@dsh fix the parser')).toMatchObject({ command: { name: 'fix', text: 'the parser' } });
  });

  it('T4 looking at a goal starts nothing, so a turn may follow it', () => {
    expect(comment('/dsh goal pause\n/dsh fix')).toMatchObject([
      { kind: 'command', command: { name: 'goal' } },
      { kind: 'command', command: { name: 'fix' } },
    ]);
  });

  it('T3 what a repository’s own settings may make more of is told apart from what nobody needs', () => {
    const isUnsure = (reading: Reading | undefined) => (reading as { mayBeMore?: boolean }).mayBeMore;

    expect(isUnsure(comment('/bot fix')[0])).toBe(true);
    expect(isUnsure(comment('just a word')[0])).toBe(false);
    expect(isUnsure(read('issues', { action: 'labeled', issue, label: { name: 'robot' } })[0])).toBe(true);
    expect(isUnsure(read('workflow_run', { action: 'completed', workflow_run: failedRun('bot/x') })[0])).toBe(true);
    expect(
      isUnsure(read('workflow_run', { action: 'completed', workflow_run: failedRun('bot/x', 'success') })[0]),
    ).toBe(false);
    expect(read('issues', { action: 'opened', issue: { ...issue, body: '/bot fix' } })).toEqual([
      { kind: 'ignore', why: 'no-command' },
    ]);
  });

  it('T5 a deleted comment is the end of the turn it started', () => {
    const [reading] = comment('/dsh fix', {}, { action: 'deleted' });

    expect(reading).toMatchObject({ kind: 'end', why: 'comment-deleted', of: 'comment-5', commentId: 5 });
    expect(decided(reading)).toMatchObject({ kind: 'end', session: 'gh-9-3-1' });
  });

  it.each([
    ['labels', 'issues', { action: 'labeled', issue, label: { name: 'dsh' } }, 'event-d1'],
    ['checks', 'workflow_run', { action: 'completed', workflow_run: failedRun() }, 'run-70'],
    ['a pull request', 'pull_request', { action: 'opened', pull_request: pull }, 'head-a'],
  ])('T5 names the cause of %s', (_, name, payload, cause) => {
    expect(read(name, payload)[0]).toMatchObject({ cause });
  });

  it('T7 an allowed bot may run and ask, and nothing else', () => {
    const by = (body: string) =>
      read(
        'issue_comment',
        { action: 'created', issue, comment: said(body), sender: renovate },
        { allowBots: ['renovate[bot]'] },
      )[0];

    expect(decided(by('/dsh fix'), { permission: 'none' }).kind).toBe('turn');
    expect(decided(by('/dsh ask x'), { permission: 'none' }).kind).toBe('turn');
    expect(decided(by('/dsh approve ap_1'), { permission: 'none' })).toEqual({ kind: 'ignore', why: 'bot-author' });
    expect(decided(by('/dsh forget'), { permission: 'none' })).toEqual({ kind: 'ignore', why: 'bot-author' });
  });

  it('T7 where a person’s token writes for us, that person is heard: only our marker decides', () => {
    const by = (body: string) =>
      read('issue_comment', { action: 'created', issue, comment: said(body), sender: person }, { self: {} });

    expect(by('/dsh fix')).toMatchObject([{ kind: 'command' }]);
    expect(by('<!-- dsh:reply comment-1 0 -->\n/dsh fix')).toEqual([{ kind: 'ignore', why: 'marker' }]);
  });

  it('T7 an allowed bot starts no more than maxBotTurns in a row', () => {
    const [reading] = read(
      'issue_comment',
      { action: 'created', issue, comment: said('/dsh fix'), sender: renovate },
      { allowBots: ['renovate[bot]'] },
    );

    expect(decided(reading, { machineTurns: 2 }).kind).toBe('turn');
    expect(decided(reading, { machineTurns: 3 })).toEqual({ kind: 'ignore', why: 'too-many-bot-turns' });
  });

  it('T7 a box that a person ticks in our comment is read, although the comment is ours', () => {
    const [reading] = ticked('- [ ] allow\n- [ ] deny', '- [x] allow\n- [ ] deny');

    expect(reading).toMatchObject({ kind: 'boxes', request: 'ap_1', commentId: 5, ticked: [0], checked: [0] });
    expect(decided(reading)).toMatchObject({
      kind: 'answer',
      request: 'ap_1',
      how: 'box',
      value: { kind: 'boxes', ticked: [0], checked: [0] },
    });
  });

  it.each([
    ['our own edit', '- [ ] a', '- [x] a', bot, 'own-author'],
    ['a box taken back', '- [x] a', '- [ ] a', person, 'nothing-ticked'],
    ['what looks like a box in code', '```\n- [ ] a\n```', '```\n- [x] a\n```', person, 'nothing-ticked'],
  ])('T7 %s ticks nothing', (_, from, to, sender, why) => {
    expect(ticked(from, to, sender)).toEqual([{ kind: 'ignore', why }]);
  });

  it('T7 checks are judged by their branch, whoever sent them', () => {
    expect(read('workflow_run', { action: 'completed', workflow_run: failedRun(), sender: bot })[0]).toMatchObject({
      kind: 'check-failure',
      subject: { kind: 'pull', number: 4 },
      run: { id: 70, name: 'CI' },
    });
    expect(read('workflow_run', { action: 'completed', workflow_run: failedRun('feature') })).toMatchObject([
      { kind: 'note', what: 'check' },
    ]);
    expect(read('workflow_run', { action: 'completed', workflow_run: failedRun('dsh/x', 'success') })).toMatchObject([
      { kind: 'note' },
    ]);
  });

  it('T7 a check of Actions is told once, by its run, and our own check tells nothing', () => {
    const suite = { ...failedRun(), id: 71, app: { id: 15_368, slug: 'github-actions', name: 'GitHub Actions' } };

    expect(read('check_suite', { action: 'completed', check_suite: suite })).toEqual([
      { kind: 'ignore', why: 'event-not-used' },
    ]);
    expect(read('check_suite', { action: 'completed', check_suite: { ...suite, app: { id: 7 } } })).toEqual([
      { kind: 'ignore', why: 'own-author' },
    ]);
    expect(
      read('check_suite', { action: 'completed', check_suite: { ...suite, app: { id: 3, slug: 'ci' } } })[0],
    ).toMatchObject({ kind: 'check-failure', cause: 'run-71' });
  });

  it('T7 a failed check starts a fix on the right of whoever asked, no more than checks.rounds in a row', () => {
    const [reading] = read('workflow_run', { action: 'completed', workflow_run: failedRun() });
    const asker = { id: 2, login: 'octo' };

    expect(decided(reading, { asker })).toMatchObject({ kind: 'turn', job: 'fix', reading: { actor: asker } });
    expect(decided(reading)).toEqual({ kind: 'ignore', why: 'check-not-ours' });
    expect(decided(reading, { asker, permission: 'read' })).toEqual({ kind: 'ignore', why: 'no-permission' });
    expect(decided(reading, { asker, machineTurns: 2 })).toEqual({ kind: 'ignore', why: 'too-many-bot-turns' });
  });

  it('T9 the marker of a pull request counts only where our bot opened it, and in its own repository', () => {
    const marked = (user: typeof person, repo = 9) =>
      comment(
        '/dsh fix',
        {},
        { issue: { ...issue, user, pull_request: {}, body: `x\n<!-- dsh:session gh-${repo}-3-2 -->` } },
      )[0];

    expect(marked(bot)).toMatchObject({ markedSession: 'gh-9-3-2' });
    expect(marked(person)).not.toHaveProperty('markedSession');
    expect(marked(bot, 10)).not.toHaveProperty('markedSession');
  });

  it.each([
    ['an issue', 'issues', { action: 'labeled', issue, label: { name: 'DSH' } }, 'fix'],
    ['a pull request', 'pull_request', { action: 'labeled', pull_request: pull, label: { name: 'dsh' } }, 'review'],
    ['an issue it is assigned to', 'issues', { action: 'assigned', issue, assignee: bot }, 'fix'],
  ])('T14 the label on %s starts a turn by who put it there', (_, name, payload, job) => {
    const [reading] = read(name, payload);

    expect(decided(reading)).toMatchObject({ kind: 'turn', job, reading: { actor: { login: 'octo' } } });
    expect(decided(reading, { permission: 'triage' })).toEqual({ kind: 'ignore', why: 'no-permission' });
  });

  it.each([
    ['a closed issue', { action: 'labeled', issue: { ...issue, state: 'closed' }, label: { name: 'dsh' } }],
    ['an issue assigned to somebody else', { action: 'assigned', issue, assignee: person }],
    ['an issue that is only opened', { action: 'opened', issue: { ...issue, body: 'It is broken.' } }],
    ['a new title', { action: 'edited', issue, changes: { title: { from: 'x' } } }],
  ])('T14 %s starts nothing', (_, payload) => {
    expect(read('issues', payload)[0]).toMatchObject({ kind: 'ignore' });
  });

  it('T14 what happens beside a turn is a note to it, and else nothing', () => {
    const notes = [
      read('issues', { action: 'labeled', issue, label: { name: 'bug' } })[0],
      read('issues', { action: 'edited', issue, changes: { body: { from: 'x' } } })[0],
      read('pull_request', { action: 'synchronize', pull_request: pull, before: 'z' })[1],
    ];

    expect(notes.map((note) => decided(note, { running }).kind)).toEqual(['note', 'note', 'note']);
    expect(notes.map((note) => decided(note, { open: [question()] }).kind)).toEqual(['note', 'note', 'note']);
    expect(notes.map((note) => decided(note))).toEqual(Array(3).fill({ kind: 'ignore', why: 'nothing-to-tell' }));
  });

  it.each([
    ['an issue', 'issues', { action: 'closed', issue }, 'closed'],
    ['a pull request', 'pull_request', { action: 'closed', pull_request: pull }, 'closed'],
    ['a merged pull request', 'pull_request', { action: 'closed', pull_request: { ...pull, merged: true } }, 'merged'],
  ])('T5 closing %s is an end', (_, name, payload, why) => {
    expect(decided(read(name, payload)[0])).toMatchObject({ kind: 'end', why });
  });

  it('T13 T4 whoever started a turn may stop and steer it, without the right to write', () => {
    const facts = { permission: 'read', running } as const;
    const stranger = { id: 3, login: 'tom', type: 'User' };

    expect(decided(command('/dsh stop'), facts).kind).toBe('command');
    expect(decided(command('/dsh say hurry'), facts)).toMatchObject({ kind: 'steer', text: 'hurry' });
    expect(decided(command('/dsh stop', { sender: stranger }), facts)).toMatchObject({ kind: 'refuse' });
    expect(decided(command('/dsh say hurry', { sender: stranger }), facts)).toMatchObject({ kind: 'refuse' });
  });

  it('T13 approving needs permissions.approve, raising a budget too', () => {
    const config = { ...DEFAULT_CONFIG, permissions: { run: 'write', ask: 'write', approve: 'maintain' } } as const;
    const at = (body: string, permission: Facts['permission']) =>
      decide(command(body), factsOf({ permission, open: [question()] }), config).kind;

    expect(
      ['/dsh approve ap_1', '/dsh answer q_1 2', '/dsh budget 3', '/dsh undo', '/dsh forget'].map((body) =>
        at(body, 'write'),
      ),
    ).toEqual(Array(5).fill('refuse'));
    expect(at('/dsh approve ap_1', 'maintain')).toBe('answer');
    expect(at('/dsh budget', 'write')).toBe('command');
  });

  it('T13 without an id, approve, deny and answer are for the one that waits', () => {
    const approval = question({ id: 'ap_1', kind: 'approval' });
    const at = (body: string, ...open: OpenRequest[]) => decided(command(body), { open });

    expect(at('/dsh approve', approval)).toMatchObject({ kind: 'answer', request: 'ap_1', value: { kind: 'approve' } });
    expect(at('/dsh deny ap_7 too\n\nwide', approval)).toMatchObject({
      request: 'ap_7',
      value: { kind: 'deny', reason: 'too\n\nwide' },
    });
    expect(at('/dsh answer 2', question(), approval)).toMatchObject({
      request: 'q_1',
      value: { kind: 'text', text: '2' },
    });
    expect(at('/dsh approve')).toMatchObject({ kind: 'reply', text: 'Nothing waits for an answer here.' });
    expect(at('/dsh approve', approval, question())).toMatchObject({
      kind: 'reply',
      text: expect.stringContaining('`ap_1`, `q_1`'),
    });
  });

  it('T13 what is said goes to the running turn, else to the one question, else starts a turn of the last kind', () => {
    const saying = command('/dsh say Postgres');

    expect(decided(saying, { running, open: [question()] })).toMatchObject({ kind: 'steer' });
    expect(decided(saying, { open: [question()] })).toMatchObject({ kind: 'answer', value: { text: 'Postgres' } });
    expect(decided(saying, { open: [question(), question({ id: 'q_2' })], lastJob: 'fix' })).toMatchObject({
      kind: 'turn',
      job: 'fix',
      request: 'Postgres',
    });
    expect(decided(saying, { lastJob: 'review' })).toMatchObject({ kind: 'turn', job: 'review' });
    expect(decided(saying)).toMatchObject({ kind: 'turn', job: 'ask' });
  });

  it('T13 a plain comment answers the one question by who was asked, or by quoting it', () => {
    const [plain] = comment('2');
    const [quoting] = comment(
      '> Which database should it be?\n\nPostgres',
      { user: { ...person, id: 3 } },
      { sender: { ...person, id: 3 } },
    );
    const open = [question()];

    expect(decided(plain, { open })).toMatchObject({
      kind: 'answer',
      how: 'reply',
      value: { kind: 'text', text: '2' },
    });
    expect(decided(quoting, { open })).toMatchObject({ kind: 'answer', value: { text: 'Postgres' } });
    expect(decided(quoting, { open: [question({ text: 'Another thing?' })] }).kind).toBe('ignore');
    expect(decided(plain, { open: [question({ askedOf: { id: 9 } })] }).kind).toBe('ignore');
    expect(decided(plain, { open, permission: 'read' }).kind).toBe('ignore');
    expect(decided(plain, { open: [question(), question({ id: 'q_2' })] }).kind).toBe('ignore');
    expect(decided(plain).kind).toBe('ignore');
  });
});

function failedRun(branch = 'dsh/issue-3-t', conclusion = 'failure') {
  return {
    id: 70,
    name: 'CI',
    head_sha: 'a',
    head_branch: branch,
    conclusion,
    html_url: 'https://example.com/run',
    pull_requests: [{ number: 4, head: { ref: branch, sha: 'a' } }],
  };
}

function ticked(from: string, to: string, sender: typeof person = person): Reading[] {
  const mark = '<!-- dsh:request ap_1 -->\n';
  return read('issue_comment', {
    action: 'edited',
    sender,
    repository,
    issue,
    comment: said(mark + to, { user: bot }),
    changes: { body: { from: mark + from } },
  });
}

describe('user-interaction', () => {
  const MARK = '<!-- dsh:request q_1 -->';

  it.each([
    ['by the bot itself', bot, bot, 'own-author'],
    ['with the token of a person, whose boxes became text', person, person, 'nothing-ticked'],
  ])('N9 our own edit of a settled question answers nothing (%s)', (_how, author, sender, why) => {
    const changed = said(`${MARK}\n**Answered** by octo.`, { user: author });
    const self = author === bot ? {} : { self: { botLogin: person.login } };
    const payload = {
      action: 'edited',
      issue,
      comment: changed,
      sender,
      changes: { body: { from: `${MARK}\n- [ ] Red` } },
    };

    expect(read('issue_comment', payload, self)).toEqual([{ kind: 'ignore', why }]);
  });

  it('N9 what stands in a comment with our mark commands and answers nothing', () => {
    expect(comment(`${MARK}\n/dsh fix`)).toEqual([{ kind: 'ignore', why: 'marker' }]);
  });

  it('N11 approve and deny without an id are for the plan that is the only thing that waits', () => {
    const plan = question({ id: 'q_plan', text: 'Shall this plan be carried out?' });

    expect(decided(command('/dsh approve'), { open: [plan] })).toMatchObject({
      ...{ kind: 'answer', request: 'q_plan', value: { kind: 'approve' } },
    });
    expect(decided(command('/dsh deny Approve'), { open: [plan] })).toMatchObject({
      ...{ kind: 'answer', request: 'q_plan', value: { kind: 'deny', reason: 'Approve' } },
    });
    expect(decided(command('/dsh approve'), { open: [plan, question()] })).toMatchObject({ kind: 'reply' });
  });
});
