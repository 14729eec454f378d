import { describe, expect, it } from '@jest/globals';
import { wasTold } from '../../../src/bot/session/was-told.ts';
import type { MessageSource } from '../../../src/harness/llm/types.ts';
import { appendRaw, LogWriter, text } from '../../harness/session/session-fixture.ts';

const github = (cause?: string): MessageSource => ({
  ...{ kind: 'github', actor: 'maria', association: 'MEMBER', permission: 'write', url: 'u', trusted: true },
  ...(cause !== undefined && { cause }),
});

describe('bot-human-loop', () => {
  it('S1 T6 words are known by what they came by, whichever way they reached the model, and no others are', () => {
    const log = new LogWriter().startTurn();
    appendRaw(log.session, 'user/message', { content: text('fix'), source: github() }, { surfaceOp: 'append' });
    const said = { content: text('in French'), source: github('comment-9') };
    expect(wasTold('comment-9', log.session.events)).toBe(false);

    appendRaw(log.session, 'steering/message', { ...said, turn: 1 }, { surfaceOp: 'append' });
    expect(wasTold('comment-9', log.session.events)).toBe(true);
    expect(wasTold('comment-90', log.session.events)).toBe(false);

    const later = new LogWriter().startTurn();
    appendRaw(later.session, 'user/message', said, { surfaceOp: 'append' });
    expect(wasTold('comment-9', later.session.events)).toBe(true);
  });
});
