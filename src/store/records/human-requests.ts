import type { HumanAnswer, HumanRequest, HumanRequests, RequestState } from '../records.ts';
import type { RecordDatabase, Row } from './record-database.ts';

/** What people are asked, as a table: what may change stands in columns, the rest in one JSON text. */
export function humanRequestsIn(database: RecordDatabase): HumanRequests {
  const select = async (where: string, ...values: (string | number)[]) =>
    (await database.read([`${SELECT} where ${where} order by position`, ...values])).map(requestOf);
  return {
    add: async ({ commentId, state, answer, ...asked }) => {
      const { id, session, repo } = asked;
      const values = [id, session, repo, commentId ?? null, state, answer ? JSON.stringify(answer) : null] as const;
      await database.write([ADD, ...values, JSON.stringify(asked)]);
    },
    get: async (id) => (await select('id = $1', id))[0],
    openOf: (session) => select(`session_id = $1 and state = 'pending'`, session),
    settledOf: (session) => select(`session_id = $1 and state <> 'pending'`, session),
    open: () => select(`state = 'pending'`),
    commented: async (id, commentId) => void (await database.write([COMMENTED, commentId, id])),
    ofComment: async (repo, commentId) => (await select('repo = $1 and comment_id = $2', repo, commentId))[0],
    settle: async (id, state, answer) => {
      const [settled] = await database.write([SETTLE, state, JSON.stringify(answer), id]);
      return settled!.length === 1;
    },
  };
}

const SELECT = 'select asked, comment_id, state, answer from dsh.human_requests';
const ADD = `
insert into dsh.human_requests (id, session_id, repo, comment_id, state, answer, asked)
values ($1, $2, $3, $4, $5, $6, $7) on conflict (id) do nothing`;
const COMMENTED = 'update dsh.human_requests set comment_id = $1 where id = $2';
const SETTLE = `
update dsh.human_requests set state = $1, answer = $2 where id = $3 and state = 'pending' returning id`;

type Asked = Omit<HumanRequest, 'commentId' | 'state' | 'answer'>;

function requestOf(row: Row): HumanRequest {
  const asked = JSON.parse(String(row['asked'])) as Asked;
  const { comment_id: comment, state, answer } = row;
  return {
    ...asked,
    callId: asked.callId,
    commentId: comment === null ? undefined : Number(comment),
    state: state as RequestState,
    answer: answer === null ? undefined : answerOf(String(answer)),
  };
}

function answerOf(text: string): HumanAnswer {
  const answer = JSON.parse(text) as HumanAnswer;
  return { ...answer, actor: answer.actor, value: answer.value, url: answer.url };
}
