export interface SentRequest {
  method: string;
  url: string;
  headers: Record<string, string>;
  body: unknown;
}

export interface Answer {
  status?: number;
  headers?: Record<string, string>;
  body?: unknown;
}

/** A `fetch` that answers from a list, in order, the last answer for ever; an Error is a dropped connection. */
export function scriptedFetch(...answers: (Answer | Error | ((request: SentRequest) => Answer))[]) {
  const sent: SentRequest[] = [];
  const fetch = async (url: string | URL | Request, init: RequestInit = {}): Promise<Response> => {
    init.signal?.throwIfAborted();
    const headers = init.headers as Record<string, string>;
    const body = typeof init.body === 'string' ? JSON.parse(init.body) : undefined;
    const request = { method: init.method ?? 'GET', url: String(url), headers, body };
    const answer = answers[Math.min(sent.push(request), answers.length) - 1]!;
    if (answer instanceof Error) throw answer;
    const {
      status = 200,
      headers: fields = {},
      body: data = {},
    } = typeof answer === 'function' ? answer(request) : answer;
    const text = status === 304 || status === 204 ? null : JSON.stringify(data);
    return new Response(text, { status, headers: { 'content-type': 'application/json', ...fields } });
  };
  return { fetch: fetch as typeof globalThis.fetch, sent };
}
