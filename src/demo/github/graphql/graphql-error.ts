/** An entry of a GraphQL answer's `errors`. */
export class GraphqlError extends Error {
  readonly type: string;

  constructor(type: string, message: string) {
    super(message);
    this.type = type;
  }
}

export const unknownNode = (id: unknown) =>
  new GraphqlError('NOT_FOUND', `Could not resolve to a node with the global id of '${String(id)}'`);
export const forbidden = () => new GraphqlError('FORBIDDEN', 'Resource not accessible by integration');
