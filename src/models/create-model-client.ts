import type OpenAI from 'openai';

export interface ModelClientOptions {
  apiKey: string;
  /** With the version segment if the server wants one, for example `https://api.openai.com/v1`. */
  baseUrl: string;
  fetch?: typeof fetch;
}

/** The transport to one OpenAI-compatible server. Loaded late: importing it costs more than starting Node. */
export async function createModelClient({ apiKey, baseUrl, fetch }: ModelClientOptions): Promise<OpenAI> {
  const { default: OpenAI } = await import('openai');

  class ModelClient extends OpenAI {
    /** Some servers answer errors without the `error` envelope; the text would be lost. */
    protected override makeStatusError(status: number, body: object | undefined, text?: string, headers?: Headers) {
      const enveloped = body === undefined || 'error' in body ? body : { error: body };
      return super.makeStatusError(status, enveloped as object, text, headers ?? new Headers());
    }
  }
  return new ModelClient({ apiKey, baseURL: baseUrl, maxRetries: 0, logLevel: 'off', ...(fetch && { fetch }) });
}
