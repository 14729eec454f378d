import { DshError } from '../errors.ts';

export interface AnswerFlags {
  readonly approve?: boolean;
  /** `true` without a reason. */
  readonly deny?: string | boolean;
  readonly answer?: string;
}

type Value =
  | { readonly kind: 'approve' }
  | { readonly kind: 'deny'; readonly reason: string | undefined }
  | { readonly kind: 'text'; readonly text: string };

/** What a person answers by flags; undefined for none. Throws `USAGE` for more than one. */
export function readAnswerFlags({ approve, deny, answer }: AnswerFlags): Value | undefined {
  const values: Value[] = [
    ...(approve ? [{ kind: 'approve' } as const] : []),
    ...(deny === undefined || deny === false
      ? []
      : [{ kind: 'deny', reason: typeof deny === 'string' ? deny : undefined } as const]),
    ...(answer === undefined ? [] : [{ kind: 'text', text: answer } as const]),
  ];
  if (values.length > 1)
    throw new DshError('More than one answer was given.', 'USAGE', 'Write one of --approve, --deny and --answer.');
  return values[0];
}
