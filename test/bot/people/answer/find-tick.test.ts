import { describe, expect, it } from '@jest/globals';
import { findTick, soleEditor } from '../../../../src/bot/people/answer/find-tick.ts';
import type { LookingPlace } from '../../../../src/bot/people/answer/look-at-request.ts';
import { viewOf } from '../../../../src/bot/people/request-data.ts';
import { renderRequest } from '../../../../src/publish/request/request-comment.ts';
import { approvalRequest } from '../request-fixture.ts';
import type { CommentEditor } from '../../../../src/github/comment-editors.ts';
import { readCommentEditors } from '../../../../src/github/comment-editors.ts';

const maria: CommentEditor = { id: 1, login: 'maria', isBot: false };
const otto: CommentEditor = { id: 2, login: 'otto', isBot: false };
const dsh: CommentEditor = { id: 3, login: 'dsh', isBot: true };

describe('bot-human-loop', () => {
  it.each<[string, CommentEditor[], CommentEditor | undefined]>([
    ['nobody edited it', [], undefined],
    ['one person did, once or more', [maria, maria], maria],
    ['two people did', [maria, otto], undefined],
    ['one did since we drew it again', [otto, dsh, maria], otto],
    ['we drew it last', [dsh, maria], undefined],
  ])('A2 whose a tick is: %s', (_how, editors, by) => {
    expect(soleEditor(editors)).toEqual(by);
  });

  it.each<[string, object | null, CommentEditor[] | undefined]>([
    ['what was written first is no edit', edits(true, [maria, dsh]), [maria]],
    ['an edit by an account that is gone tells nothing', edits(true, [maria, null, dsh]), undefined],
    [
      'nor do more edits than are told',
      { ...edits(true, [maria]), userContentEdits: { totalCount: 101, nodes: [] } },
      undefined,
    ],
    ['a comment that was never edited has no editors', edits(false, []), []],
    ['one that is gone has none to tell', null, undefined],
  ])('A2 of the edits GitHub tells: %s', async (_what, node, editors) => {
    expect(await readCommentEditors({ graphql: async () => ({ node }) } as never, 'IC_1')).toEqual(editors);
  });
  it('A2 where GitHub does not tell, a tick is nobody’s, and the operator reads why', async () => {
    const request = approvalRequest();
    const body = renderRequest(viewOf(request)).replace('- [ ]', '- [x]');
    const github = {
      rest: { issues: { getComment: async () => ({ data: { body, node_id: 'IC_1' } }) } },
      graphql: async () => {
        throw new Error('no such field');
      },
    };
    const logged: string[] = [];
    const parts = { redact: (text: string) => text, log: (message: string) => void logged.push(message) };
    const place = { github, repo: { owner: 'acme', repo: 'shop' } } as unknown as LookingPlace;

    expect(await findTick(request, place, parts, { at: 1 })).toEqual({ kind: 'nobodys' });
    expect(logged).toEqual(['GitHub did not tell who edited the comment of ap_1']);
    const untouched = { issues: { getComment: async () => ({ data: { body: renderRequest(viewOf(request)) } }) } };
    const unticked = { ...place, github: { ...github, rest: untouched } } as unknown as LookingPlace;
    expect(await findTick(request, unticked, parts, { at: 1 })).toEqual({ kind: 'none' });
  });
});

function edits(includesCreatedEdit: boolean, by: (CommentEditor | null)[]) {
  const nodes = by.map((one) => ({
    editor: one && { login: one.login, __typename: one.isBot ? 'Bot' : 'User', databaseId: one.id },
  }));
  return { includesCreatedEdit, userContentEdits: { totalCount: nodes.length, nodes } };
}
