import { afterEach, describe, expect, it } from '@jest/globals';
import { parseLedger } from '../../../src/publish/review/ledger.ts';
import { causeMarker, DRAFT_MARKER, reviewMarker } from '../../../src/publish/markers.ts';
import { readReviewHistory } from '../../../src/publish/review/read-ledger.ts';
import { REPO } from '../../github/support/demo-github.ts';
import { OnePull, found } from '../support/one-pull.ts';

let one: OnePull | undefined;
afterEach(async () => {
  await one?.close();
  one = undefined;
});

const titled = (title: string, line: number, more = {}) => found({ title, startLine: line, endLine: line, ...more });
/** A file as we see it, of which GitHub shows no line beyond 100. */
const WITH_LINES = (files: OnePull['files'], extra: number) =>
  files.map((file) => ({
    ...file,
    hunks: file.hunks.map((hunk) => ({
      ...hunk,
      newLines: hunk.newLines + extra,
      lines: [
        ...hunk.lines,
        ...Array.from({ length: extra }, (_, at) => ({ kind: 'add' as const, text: `x${at}`, newLine: 101 + at })),
      ],
    })),
  }));
const told = (pull: OnePull) => pull.pull.threads.map(({ line, comments }) => [line, comments[0]!.body.split('\n')[0]]);

describe('bot-review', () => {
  it('R3 one comment that GitHub refuses is told in the body, the others stay on their lines, in one review', async () => {
    one = await OnePull.open();
    const findings = [titled('Good', 3), titled('Refused', 103), titled('Also good', 50)];

    const { plan } = await one.publish(findings, {}, WITH_LINES(one.files, 10));

    expect(told(one)).toEqual([
      [3, '**major: Good**'],
      [50, '**major: Also good**'],
    ]);
    expect(one.pull.reviews).toHaveLength(1);
    expect(one.pull.reviews[0]!.state).toBe('COMMENTED');
    expect(one.pull.reviews[0]!.body).toContain('**major: Refused** (src/a.js:103)\n\nWhen x = 1, y.');
    expect(plan.ledger.map(({ title, inline }) => [title, inline])).toEqual([
      ['Good', true],
      ['Refused', false],
      ['Also good', true],
    ]);
  });

  it('R3 where too much is refused to find out which, all that was not found good is told in the body, and nothing is lost', async () => {
    one = await OnePull.open();
    const bad = Array.from({ length: 12 }, (_, at) => titled(`Bad ${at}`, 101 + at));
    const good = Array.from({ length: 3 }, (_, at) => titled(`Good ${at}`, 10 + at));

    await one.publish([...bad, ...good], {}, WITH_LINES(one.files, 20));

    const all = [one.pull.reviews[0]!.body, ...one.pull.threads.map(({ comments }) => comments[0]!.body)].join('\n');
    for (const { title } of [...bad, ...good]) expect(all).toContain(title);
    expect(one.pull.reviews.map(({ state }) => state)).toEqual(['COMMENTED']);
  });

  it('R3 E1 five findings of which four cannot stand as given are told in one review, each in its best place', async () => {
    one = await OnePull.open();
    const five = [
      titled('As given', 3),
      titled('Other side', 5, { side: 'LEFT' }),
      titled('Runs over the end', 95, { endLine: 140 }),
      titled('Beyond the end', 500),
      titled('Another file', 1, { path: 'src/other.js' }),
    ];

    await one.publish(five);

    expect(one.pull.reviews).toHaveLength(1);
    expect(told(one)).toEqual([
      [3, '**major: As given**'],
      [5, '**major: Other side**'],
      [100, '**major: Runs over the end**'],
    ]);
    expect(one.pull.threads[2]!.comments[0]!.body).toContain('About src/a.js:95-140, which takes no comment.');
    for (const title of ['Beyond the end', 'Another file'])
      expect(one.pull.reviews[0]!.body).toContain(`**major: ${title}**`);
  });

  it('R3 a draft that a crash left behind does not stand in the way', async () => {
    one = await OnePull.open();
    const draft = {
      owner: 'acme',
      repo: 'shop',
      pull_number: one.number,
      commit_id: one.headSha,
      body: DRAFT_MARKER,
      comments: [{ path: 'src/a.js', line: 1, body: 'left' }],
    };
    await one.github.rest.pulls.createReview(draft);

    await one.publish([titled('Good', 3)]);

    expect(one.pull.reviews.map(({ state }) => state)).toEqual(['COMMENTED']);
    expect(told(one)).toEqual([[3, '**major: Good**']]);
  });

  it('R3 a review that a person is writing with the login we use is left alone, and said to be in the way', async () => {
    one = await OnePull.open();
    const comments = [{ path: 'src/a.js', line: 1, body: 'Half a tho' }];
    await one.github.rest.pulls.createReview({ owner: 'acme', repo: 'shop', pull_number: one.number, comments });

    await expect(one.publish([titled('Good', 3)])).rejects.toMatchObject({ code: 'PENDING_REVIEW' });

    expect(one.pull.reviews.map(({ state }) => state)).toEqual(['PENDING']);
    expect(told(one)).toEqual([[1, 'Half a tho']]);
  });

  it('R3 R5 where GitHub refuses the event and no comment, the comments stay on their lines', async () => {
    const refusing: typeof fetch = async (url, init) =>
      String(init?.body).includes('"event":"REQUEST_CHANGES"')
        ? Response.json({ message: 'Not here.' }, { status: 422 })
        : fetch(url, init);
    one = await OnePull.open({ fetch: refusing });

    await one.publish([titled('Bad', 3, { severity: 'blocker' })], { blocking: true });

    expect(one.pull.reviews.map(({ state }) => state)).toEqual(['COMMENTED']);
    expect(told(one)).toEqual([[3, '**blocker: Bad**']]);
  });

  it('R5 a mark that the verdict shows in a code block is none', async () => {
    one = await OnePull.open();
    const marks = [reviewMarker('gh-1-1-1', 'b'.repeat(40)), causeMarker('head-b')];
    await one.publish([], { verdict: `Fine.\n\`\`\`\n${marks.join('\n')}\n\`\`\`` });

    const history = await readReviewHistory({
      github: one.github,
      repo: REPO,
      number: one.number,
      ownLogin: 'dsh[bot]',
    });
    expect(history.ledger.reviewedHead).toBe(one.headSha);
    await one.publish([], { headSha: 'b'.repeat(40), cause: 'head-b' });
    expect(one.pull.reviews).toHaveLength(2);
  });

  it('R3 R12 a commit that was pushed away takes no comments: everything is told in the body', async () => {
    one = await OnePull.open();

    await one.publish([titled('Found', 3)], { headSha: 'b'.repeat(40) });

    expect(one.pull.reviews[0]!.body).toContain('**major: Found** (src/a.js:3)');
    expect(one.pull.threads).toEqual([]);
  });

  it('R7 G1 65 findings under a secondary limit after 20 writes: one call, 15 inline, the rest in the body', async () => {
    const slept: number[] = [];
    let offset = 0;
    const sleep = async (ms: number) => {
      slept.push(ms);
      offset += ms;
      one!.demo.server.advance(ms);
    };
    one = await OnePull.open({ clock: { now: () => new Date(Date.now() + offset), sleep } });
    one.demo.server.faults.secondaryLimit({ afterWrites: 20, retryAfterSeconds: 60 });
    const spent = { owner: 'acme', repo: 'shop', issue_number: one.number, content: 'eyes' as const };
    for (let write = 0; write < 20; write++) await one.github.rest.reactions.createForIssue(spent);
    const sent = one.demo.record();
    const findings = Array.from({ length: 65 }, (_, at) =>
      titled(`Finding ${at}.`, at + 1, { severity: at < 5 ? 'blocker' : 'minor' }),
    );

    await one.publish(findings);

    const writes = sent().filter((line) => !line.startsWith('GET'));
    expect(new Set(writes)).toEqual(new Set([`POST /repos/acme/shop/pulls/${one.number}/reviews`]));
    expect(one.pull.reviews).toHaveLength(1);
    expect(one.pull.threads).toHaveLength(15);
    const all = [one.pull.reviews[0]!.body, ...one.pull.threads.map(({ comments }) => comments[0]!.body)].join('\n');
    for (const { title } of findings) expect(all).toContain(title);
    expect(parseLedger(one.pull.reviews[0]!.body)).toHaveLength(65);
    expect(slept.some((ms) => ms >= 59_000)).toBe(true);
  });

  it('R5 the same cause and head is posted once; another request to review the same head is another review', async () => {
    one = await OnePull.open();

    const first = await one.publish([titled('Good', 3)]);
    const again = await one.publish([titled('Good', 3)]);
    const other = await one.publish([titled('Better', 4)], { cause: 'comment-2' });

    expect(again.id).toBe(first.id);
    expect(other.id).not.toBe(first.id);
    expect(one.pull.reviews).toHaveLength(2);
  });

  it('R5 a review whose answer was lost is not posted twice', async () => {
    one = await OnePull.open();
    one.demo.server.faults.inject({ match: { method: 'POST', path: /\/reviews$/ }, drop: 'after' });

    const { id } = await one.publish([titled('Good', 3)]);

    expect(one.pull.reviews.map((review) => review.id)).toEqual([id]);
  });

  it.each(['before', 'after'] as const)(
    'R5 where the connection dies %s a review was made, it is posted once',
    async (drop) => {
      one = await OnePull.open();
      one.demo.server.faults.inject({ match: { method: 'POST', path: /\/reviews$/ }, drop });
      one.demo.server.faults.inject({ match: { method: 'POST', path: /\/reviews$/ }, status: 502 });

      await one.publish([titled('Good', 3)]);

      expect(one.pull.reviews).toHaveLength(1);
      expect(told(one)).toEqual([[3, '**major: Good**']]);
    },
  );

  it.each([
    ['blockers where they block', { blocking: true }, [titled('Bad', 3, { severity: 'blocker' })], 'CHANGES_REQUESTED'],
    ['blockers where they do not', {}, [titled('Bad', 3, { severity: 'blocker' })], 'COMMENTED'],
    ['nothing found', {}, [], 'COMMENTED'],
    ['nothing found, where that is to be approved', { approve: true }, [], 'APPROVED'],
    [
      'something small, where approval is on',
      { approve: true },
      [titled('Small', 3, { severity: 'minor' })],
      'COMMENTED',
    ],
    ['nothing found in what was looked at', { approve: true, limits: ['x was too large'] }, [], 'COMMENTED'],
  ] as const)('R5 %s', async (_, more, findings, state) => {
    one = await OnePull.open();

    await one.publish(findings, more as never);

    expect(one.pull.reviews.map((review) => review.state)).toEqual([state]);
  });

  it('R5 on a pull request of our own, which takes no request for changes, it is a comment', async () => {
    one = await OnePull.open({}, 'dsh[bot]');

    await one.publish([titled('Bad', 3, { severity: 'blocker' })], { blocking: true });

    expect(one.pull.reviews.map(({ state }) => state)).toEqual(['COMMENTED']);
    expect(told(one)).toEqual([[3, '**blocker: Bad**']]);
  });
});
