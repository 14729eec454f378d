import { createParser } from 'eventsource-parser';
import { LlmError } from '../harness/llm/errors.ts';
import type { StreamChunk } from '../harness/llm/types.ts';
import { BodyReader } from './body-reader.ts';
import { ReplyMapper } from './reply-mapper.ts';
import type { ReplyContext } from './reply-mapper.ts';
import type { TransportWatch } from './transport-watch.ts';

const END_MARK = '[DONE]';

/** The chunks of one HTTP reply: a stream of events, or one JSON text from a server that does not stream. */
export async function* readReply(
  response: Response,
  watch: TransportWatch,
  context: ReplyContext,
): AsyncGenerator<StreamChunk, void, void> {
  if (!response.body) throw new LlmError('the model server sent no body', 'EMPTY_RESPONSE');
  const body = new BodyReader(response.body, watch);
  const mapper = new ReplyMapper(context);
  const contentType = response.headers.get('content-type') ?? '';
  if (contentType.includes('text/html')) {
    throw new LlmError('a web page came back instead of a model reply: check the base URL', 'MALFORMED_RESPONSE');
  }
  yield* contentType.includes('application/json') ? readJson(body, mapper) : readEvents(body, mapper, watch);
}

async function* readEvents(
  body: BodyReader,
  mapper: ReplyMapper,
  watch: TransportWatch,
): AsyncGenerator<StreamChunk, void, void> {
  for await (const data of eventData(body)) {
    if (data === END_MARK) {
      yield* mapper.end();
      return body.drain();
    }
    for (const chunk of mapper.push(data)) {
      watch.progressed();
      yield chunk;
    }
  }
  throw new LlmError('the model stream broke off before its end', 'STREAM_CLOSED');
}

async function* eventData(body: BodyReader): AsyncGenerator<string, void, void> {
  let events: string[] = [];
  const parser = createParser({ onEvent: ({ data }) => events.push(data) });
  for (let text = await body.next(); text !== undefined; text = await body.next()) {
    parser.feed(text);
    const ready = events;
    events = [];
    yield* ready;
  }
  parser.feed('\n\n'); // the end mark may lack its line break; anything else left over is cut
  if (events[0] === END_MARK) yield END_MARK;
}

async function* readJson(body: BodyReader, mapper: ReplyMapper): AsyncGenerator<StreamChunk, void, void> {
  let text = '';
  for (let part = await body.next(); part !== undefined; part = await body.next()) text += part;
  if (text.trim() === '') throw new LlmError('the model server sent an empty body', 'EMPTY_RESPONSE');
  yield* mapper.push(text);
  yield* mapper.end();
}
