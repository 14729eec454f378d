import { z } from 'zod';
import { MAX_TEXT_CHARS } from './agent/protocol.ts';
import type { AgentMessage } from './agent/protocol.ts';

const call = z.int().nonnegative();
const text = z.string().max(MAX_TEXT_CHARS);

/** What may come out of a container. Its sender may have been tampered with: nothing is believed before this. */
export const AgentMessageSchema: z.ZodType<AgentMessage> = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('hello'),
    call: z.literal(0),
    protocol: z.int(),
    uid: z.int().nonnegative(),
    capabilities: z.string().max(64),
    noNewPrivileges: z.boolean(),
    seccomp: z.int(),
    rootReadOnly: z.boolean(),
    workspaceReadOnly: z.boolean(),
    interfaces: z.array(z.string().max(64)).max(256),
    egress: z.boolean(),
    missing: z.array(z.string().max(64)).max(16),
    entries: z.array(z.string().max(1_024)).max(500),
  }),
  z.strictObject({ type: z.literal('spawned'), call, group: z.int().positive() }),
  z.strictObject({ type: z.literal('refused'), call, reason: text }),
  z.strictObject({
    type: z.literal('output'),
    call,
    stream: z.enum(['stdout', 'stderr']),
    skipped: z.int().nonnegative(),
  }),
  z.strictObject({
    type: z.literal('exit'),
    call,
    exitCode: z.int().min(0).max(255).nullable(),
    signal: z
      .string()
      .regex(/^SIG[A-Z0-9]{1,12}$/)
      .nullable(),
    oomKilled: z.boolean(),
  }),
  z.strictObject({ type: z.literal('result'), call, value: z.unknown() }),
  z.strictObject({
    type: z.literal('error'),
    call,
    code: z.enum([
      'FS_NOT_FOUND',
      'FS_NOT_DIRECTORY',
      'FS_NOT_REGULAR_FILE',
      'FS_PERMISSION_DENIED',
      'FS_SANDBOX_DENIED',
      'FS_IO_ERROR',
      'FS_STALE_VERSION',
      'FS_NOT_OBSERVED',
      'FS_ABORTED',
    ]),
    message: text,
  }),
]);

const version = z.string().regex(/^[\d:-]{9,200}$/);
const FileFacts = z.strictObject({
  type: z.enum(['file', 'directory', 'symlink', 'other']),
  size: z.number().nonnegative(),
  version,
});
const path = z.string().min(1).max(8_192);

/** The `value` of each request's `result`. */
export const AgentResults = {
  ping: z.null(),
  kill: z.strictObject({ empty: z.boolean() }),
  resolve: path.regex(/^\//),
  stat: FileFacts.nullable(),
  lstat: FileFacts.nullable(),
  read: z.strictObject({ facts: FileFacts, atEnd: z.boolean() }),
  list: z.strictObject({ total: z.int().nonnegative() }),
  write: z.strictObject({ facts: FileFacts, created: z.boolean() }),
  'give-back': z.strictObject({ changed: z.int().nonnegative() }),
};

/** The body of a `list` result. */
export const ListedEntries = z.array(
  z.strictObject({ name: z.string().max(1_024), path, facts: FileFacts.nullable() }),
);
