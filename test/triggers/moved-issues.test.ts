import { describe, expect, it } from '@jest/globals';
import { bot, issue, read } from './support/payloads.ts';

const renovate = { id: 60, login: 'renovate[bot]', type: 'Bot' };

describe('bot-human-loop', () => {
  it.each(['closed', 'deleted', 'transferred'])(
    'S3 an issue that is %s ends what runs and waits, whoever did it',
    (action) => {
      expect(read('issues', { action, issue })).toMatchObject([{ kind: 'end', why: 'closed', of: undefined }]);
      expect(read('issues', { action, issue, sender: renovate })).toMatchObject([{ kind: 'end' }]);
      expect(read('issues', { action, issue, sender: bot })).toEqual([{ kind: 'ignore', why: 'own-author' }]);
    },
  );
});

describe('bot-triggers', () => {
  it('T5 a command in the text of an issue runs once, though the issue moves to another repository', () => {
    const moved = { ...issue, body: '/dsh fix' };
    expect(read('issues', { action: 'opened', issue: moved })).toMatchObject([{ kind: 'command' }]);
    const changes = { old_issue: { id: 1, number: 9 }, old_repository: { id: 4 } };
    expect(read('issues', { action: 'opened', issue: moved, changes })).toEqual([
      { kind: 'ignore', why: 'event-not-used' },
    ]);
  });
});
