const docs = 'https://docs.github.com/rest';

export interface FieldError {
  resource: string;
  field?: string;
  code: string;
  message?: string;
  value?: unknown;
}

/** An answer GitHub gives instead of doing what was asked: thrown by handlers, written by the server as it stands. */
export class Refusal extends Error {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly errors: (FieldError | string)[] | undefined;

  constructor(status: number, message: string, errors?: (FieldError | string)[], headers: Record<string, string> = {}) {
    super(message);
    this.status = status;
    this.errors = errors;
    this.headers = headers;
  }

  get body(): Record<string, unknown> {
    const errors = this.errors ? { errors: this.errors } : {};
    return { message: this.message, ...errors, documentation_url: docs, status: String(this.status) };
  }
}

export const notFound = () => new Refusal(404, 'Not Found');
export const badCredentials = () => new Refusal(401, 'Bad credentials');
export const requiresAuthentication = () => new Refusal(401, 'Requires authentication');
export const emptyRepository = () => new Refusal(409, 'Git Repository is empty.');
export const notForIntegration = () => new Refusal(403, 'Resource not accessible by integration');
export const invalid = (...errors: FieldError[]) => new Refusal(422, 'Validation Failed', errors);
export const unprocessable = (message: string, errors?: string[]) => new Refusal(422, message, errors);
