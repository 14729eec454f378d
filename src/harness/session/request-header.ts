import { jsonEquals, snapshotJsonValue } from './json.ts';
import { lastOfType } from './last-of-type.ts';
import type { EpochHeader, SessionEvent } from './types.ts';

/** The header in its one form: what is empty is absent. Detached and frozen. */
export function canonicalHeader({ config, system, tools, messagePrefix }: EpochHeader): EpochHeader {
  return snapshotJsonValue({
    config: withoutUndefined(config),
    ...(system && { system }),
    ...(tools?.length && { tools }),
    ...(messagePrefix?.length && { messagePrefix }),
  });
}

function withoutUndefined<T extends object>(value: T): T {
  return Object.fromEntries(Object.entries(value).filter(([, field]) => field !== undefined)) as T;
}

/** Whether two headers make the same request out of the same history. */
export function headerEquals(a: EpochHeader, b: EpochHeader): boolean {
  return (
    (a.system ?? '') === (b.system ?? '') &&
    jsonEquals(withoutUndefined(a.config), withoutUndefined(b.config)) &&
    jsonEquals(a.tools ?? [], b.tools ?? []) &&
    jsonEquals(a.messagePrefix ?? [], b.messagePrefix ?? [])
  );
}

/** The last header of a stretch of log, or `from` if it has none. */
export function foldRequestHeader(events: readonly SessionEvent[], from?: EpochHeader): EpochHeader | undefined {
  return lastOfType(events, 'request/header')?.data.header ?? from;
}
